import { Suspense, useState, type ReactNode } from 'react'
import { Link, useNavigate } from 'react-router'
import { Button, CancelButton } from '@/components/button'
import { Dialog } from '@/components/dialog'
import { PasswordField } from '@/components/field'
import { Form } from '@/components/form'
import { Notice } from '@/components/notice'
import { Skeleton } from '@/components/skeleton'
import { SupportLink } from '@/components/support-link'
import { toApiError } from '@/lib/api-error'
import type { LastPayoutProps } from '@/lib/last-payout'
import { formatMoney, toCents } from '@/lib/money'
import { paths } from '@/lib/paths'
import { useMember } from '@/lib/session'
import { useCloseAccount } from '../api/close-account'

type Matter = { text: string; link: ReactNode }

const to = (path: string, label: string) => (
  <Link to={path} className="font-semibold text-accent-text underline">
    {label}
  </Link>
)

const support = <SupportLink>Contact support</SupportLink>

/** What keeps an account open, by the server's names, and where the member can end it. */
const matters: Record<string, Matter> = {
  BALANCE: { text: 'You have a balance.', link: to(paths.withdrawals, 'Withdraw it') },
  BONUS: { text: 'You have a bonus that was not released. Give it up here, or ask for it:', link: support },
  WITHDRAWAL: { text: 'A withdrawal is open.', link: to(paths.transactions, 'See your transactions') },
  PAYMENT: { text: 'A payment is in review.', link: to(paths.transactions, 'See your transactions') },
  TRADE: { text: 'You have open investments.', link: to(paths.investments, 'Close them') },
  ON_HOLD: { text: 'Our team holds a part of your balance.', link: support },
  OWED: { text: 'You owe an amount since a payment was reversed.', link: to(paths.deposits, 'Pay it') },
  REVIEW: { text: 'Our team is correcting your balance.', link: support },
}

type CloseAccountDialogProps = { onClose: () => void; payout: (fields: LastPayoutProps) => ReactNode }

const missing = { method: 'Choose a network', address: 'Enter a wallet address' }

/** Says what closing means, asks where what is left is paid and for the password, and lists what stands in the way [D-A12] [D-M5]. */
export function CloseAccountDialog({ onClose, payout }: CloseAccountDialogProps) {
  const navigate = useNavigate()
  const close = useCloseAccount()
  const { wallet, isWithdrawalPending } = useMember()
  const [password, setPassword] = useState('')
  const [giveUpBonus, setGiveUpBonus] = useState(false)
  const [last, setLast] = useState({ method: '', address: '', memo: '' })
  const [wrong, setWrong] = useState<Record<string, string>>({})
  const { fields, code, matters: open } = toApiError(close.error)
  const balanceCents = toCents(wallet?.balance ?? 0)
  const paysOut = balanceCents > 0 && !isWithdrawalPending

  const send = async () => {
    const gaps = Object.entries(missing).filter(([name]) => paysOut && !last[name as keyof typeof missing].trim())
    setWrong(Object.fromEntries(gaps))
    if (gaps.length > 0) return
    const { memo, ...rest } = last
    const sent = paysOut && { payout: { ...rest, ...(memo && { memo }) } }
    try {
      const { payout: made } = await close.mutateAsync({ password, ...(giveUpBonus && { giveUpBonus }), ...sent })
      onClose()
      if (made?.needsConfirmation) await navigate(paths.transaction(made.id))
    } catch {
      // The form and a toast say it.
    }
  }

  return (
    <Dialog open onClose={onClose} title="Close your account?">
      <div className="space-y-4 text-sm">
        <p>
          It closes in 24 hours. Until then everything works as before, and you can keep it here or with the link in the email that we
          send you. Then you are logged out everywhere and cannot log in again, and that cannot be undone. Your transactions stay in our
          books, and the {to(paths.privacy, 'privacy policy')} says what else we keep and for how long. You may want to download your data
          first. 30 days later your email address can be used for a new account.
        </p>
        {balanceCents > 0 && isWithdrawalPending && (
          <p>{`You have ${formatMoney(wallet?.balance ?? 0)}, and a withdrawal is open. Once that is paid, the rest can be paid out here.`}</p>
        )}
        {code === 'ACCOUNT_IN_USE' && (
          <div role="alert">
            <Notice tone="caution" title="Your account cannot be closed yet">
              <ul className="mt-1 list-disc space-y-1 ps-4">
                {open.map((name) => (
                  <li key={name}>
                    {matters[name]?.text ?? 'Something is still open.'} {matters[name]?.link ?? support}
                  </li>
                ))}
              </ul>
            </Notice>
          </div>
        )}
        <Form onSubmit={send} className="space-y-6">
          {paysOut && (
            <div className="space-y-3">
              <p>{`Your balance of ${formatMoney(wallet?.balance ?? 0)} is paid out, and the account closes once the payout is sent. Once in 30 days that works below the minimum, too.`}</p>
              <Suspense fallback={<Skeleton className="h-100" />}>
                {payout({ balanceCents, value: last, onChange: setLast, errors: { ...fields, ...wrong } })}
              </Suspense>
            </div>
          )}
          {wallet && wallet.bonus > 0 && (
            <label className="flex min-h-11 items-center gap-3">
              <input type="checkbox" className="size-4.5 shrink-0 accent-accent" checked={giveUpBonus} onChange={({ target }) => setGiveUpBonus(target.checked)} />
              {`I give up my bonus of ${formatMoney(wallet.bonus)}, which was not released.`}
            </label>
          )}
          <PasswordField
            label="Your password"
            autoComplete="current-password"
            value={password}
            onChange={(event) => setPassword(event.target.value)}
            error={fields['password']}
          />
          <div className="flex flex-wrap justify-end gap-3">
            <CancelButton onClick={onClose}>
              Keep my account
            </CancelButton>
            <Button type="submit" variant="danger" busyLabel="Closing...">
              Close account
            </Button>
          </div>
        </Form>
      </div>
    </Dialog>
  )
}
