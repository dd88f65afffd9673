import { Check } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { Link } from 'react-router'
import { Button } from '@/components/button'
import { Card, CardHeader } from '@/components/card'
import { cx } from '@/components/cx'
import { useTotp } from '@/features/factors/api/factors'
import { useNewestTransactions } from '@/features/transactions/api/list-transactions'
import type { Transaction, User } from '@/lib/api-types'
import { formatBrief } from '@/lib/money'
import { paths } from '@/lib/paths'
import { useTerms } from '@/lib/terms'

/** What puts money to work. */
const uses = ['trade', 'course']

/** The first four steps of a new member, until money is at work or they are hidden. */
export function StartCard({ user }: { user: User }) {
  const { transactions, hasNextPage } = useNewestTransactions()
  const [isHidden, setHidden] = useState(() => wasHidden(user.id))
  if (isHidden || !transactions || hasNextPage || transactions.some(({ kind, status }) => uses.includes(kind) && status === 'success')) return null
  const hide = () => {
    rememberHidden(user.id)
    setHidden(true)
  }
  return <Steps user={user} transactions={transactions} onHide={hide} />
}

type StepsProps = { user: User; transactions: readonly Transaction[]; onHide: () => void }

/** Each step with what it takes. */
function Steps({ user, transactions, onHide }: StepsProps) {
  const { data: totp } = useTotp()
  const min = useTerms().data?.deposit.min
  const deposits = transactions.filter(({ kind }) => kind === 'deposit')
  const open = deposits.find(({ status }) => status === 'pending')
  const steps: StepProps[] = [
    { name: 'Confirm your email', isDone: user.isVerified, children: user.email },
    {
      name: 'Protect your account',
      isDone: totp !== undefined && (totp.enrolled || totp.passkeys > 0),
      to: paths.profile,
      children: 'With a passkey or an authenticator app, your password alone opens nothing.',
    },
    {
      name: 'Make your first deposit',
      isDone: deposits.some(({ status }) => status === 'success'),
      to: open ? paths.transaction(open.id) : paths.deposits,
      children: open ? 'It is in review. See how far it is.' : `${min === undefined ? 'You' : `From ${formatBrief(min)}: you`} send cryptocurrency and add a proof of payment.`,
    },
    {
      name: 'Choose a plan or the course',
      isDone: false,
      to: paths.plans,
      children: 'The value of a plan can fall as well as rise. The course has one price and lifetime access.',
    },
  ]
  const done = steps.filter(({ isDone }) => isDone).length
  const next = steps.find(({ isDone }) => !isDone)
  return (
    <Card aria-label="Getting started" className="pb-2">
      <CardHeader
        title="Getting started"
        description={`${done} of ${steps.length} done`}
        action={
          <Button variant="ghost" size="sm" onClick={onHide}>
            Hide
          </Button>
        }
      />
      <ol className="mt-3 divide-y divide-line">
        {steps.map((step) => (
          <Step key={step.name} {...step} isNext={step === next} />
        ))}
      </ol>
    </Card>
  )
}

type StepProps = { name: string; isDone: boolean; isNext?: boolean; to?: string; children: ReactNode }

function Step({ name, isDone, isNext = false, to, children }: StepProps) {
  return (
    <li aria-current={isNext ? 'step' : undefined} className="flex gap-3.5 px-5 py-3 sm:px-6">
      <span
        aria-hidden
        className={cx('mt-0.5 grid size-5 shrink-0 place-items-center rounded-full border-2', isDone ? 'border-positive bg-positive text-surface' : isNext ? 'border-accent' : 'border-line-control')}
      >
        {isDone && <Check className="size-3" strokeWidth={3} />}
        {isNext && <span className="size-2 rounded-full bg-accent" />}
      </span>
      <div className="min-w-0 text-sm">
        {isDone || !to ? (
          <p className="font-medium text-ink-soft">
            {name}
            {isDone && <span className="sr-only">, done</span>}
          </p>
        ) : (
          <Link to={to} className="-my-2 inline-flex min-h-9 items-center font-semibold text-accent-text hover:underline pointer-coarse:min-h-11">
            {name}
          </Link>
        )}
        <p className="text-ink-faint wrap-anywhere">{children}</p>
      </div>
    </li>
  )
}

const keyOf = (memberId: string) => `start-hidden:${memberId}`

function wasHidden(memberId: string) {
  try {
    return localStorage.getItem(keyOf(memberId)) !== null
  } catch {
    return false
  }
}

function rememberHidden(memberId: string) {
  try {
    localStorage.setItem(keyOf(memberId), '1')
  } catch {
    // It comes back with the next visit.
  }
}
