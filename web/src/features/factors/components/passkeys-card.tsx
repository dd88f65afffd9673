import { KeyRound } from 'lucide-react'
import { Suspense, lazy, useState } from 'react'
import { Button } from '@/components/button'
import { Card, CardHeader } from '@/components/card'
import { ConfirmDialog } from '@/components/dialog'
import { Skeleton, Skeletons } from '@/components/skeleton'
import { ErrorPanel } from '@/components/states'
import type { Passkey, Totp } from '@/lib/api-types'
import { formatDateTimes } from '@/lib/dates'
import { loadChunk } from '@/lib/load-chunk'
import { useReplaceRecoveryCodes, useTotp } from '../api/factors'
import { usePasskeys, useRemovePasskey } from '../api/passkeys'
import { RecoveryCodes } from './recovery-codes'

// With what talks to the browser's passkeys, which only this step needs.
const PasskeyForm = lazy(async () => ({ default: (await loadChunk(() => import('./passkey-form'))).PasskeyForm }))

/** As many as the server keeps. */
const MOST_PASSKEYS = 10

type PasskeysCardProps = {
  /** Members prove themselves by it before their first factor. */
  asksForPassword?: boolean
  /** Called once a passkey was added. */
  onAdded?: () => void
}

/** The passkeys: adding, naming and removing them, and recovery codes where no authenticator has any [D-A3]. */
export function PasskeysCard(props: PasskeysCardProps) {
  const passkeys = usePasskeys()
  const totp = useTotp()
  const failed = passkeys.error ?? totp.error
  const retry = () => void Promise.all([passkeys.refetch(), totp.refetch()])
  return (
    <Card className="overflow-hidden">
      <CardHeader
        title="Passkeys"
        description="Log in with your fingerprint, face or screen lock instead of your password. A passkey is also a second factor."
      />
      {passkeys.data && totp.data ? (
        <Content passkeys={passkeys.data} totp={totp.data} {...props} />
      ) : passkeys.isPending || totp.isPending ? (
        <div className="p-5 sm:p-6">
          <Skeletons count={1} className="h-14" label="Loading passkeys" />
        </div>
      ) : (
        <ErrorPanel error={failed} onRetry={retry} busy={passkeys.isFetching || totp.isFetching} />
      )}
    </Card>
  )
}

type Step = { name: 'list' } | { name: 'form' } | { name: 'codes'; codes: readonly string[] }

function Content({ passkeys, totp, asksForPassword = false, onAdded }: PasskeysCardProps & { passkeys: Passkey[]; totp: Totp }) {
  const [step, setStep] = useState<Step>({ name: 'list' })
  const showList = () => setStep({ name: 'list' })
  const showCodes = (codes: readonly string[]) => (codes.length > 0 ? setStep({ name: 'codes', codes }) : showList())
  const hasFactor = totp.enrolled || passkeys.length > 0
  return (
    <>
      {passkeys.length > 0 && <PasskeyList passkeys={passkeys} isKept={totp.required && !totp.enrolled && passkeys.length === 1} />}
      <div className="p-5 sm:p-6">
        {step.name === 'form' ? (
          <Suspense fallback={<Skeleton className="h-40" />}>
            <PasskeyForm
              asksForPassword={asksForPassword && !hasFactor}
              onCancel={showList}
              onAdded={(codes) => {
                showCodes(codes)
                onAdded?.()
              }}
            />
          </Suspense>
        ) : step.name === 'codes' ? (
          <RecoveryCodes codes={step.codes} onDone={showList} />
        ) : (
          <Actions passkeys={passkeys} totp={totp} onAdd={() => setStep({ name: 'form' })} onCodes={showCodes} />
        )}
      </div>
    </>
  )
}

type ActionsProps = { passkeys: Passkey[]; totp: Totp; onAdd: () => void; onCodes: (codes: readonly string[]) => void }

function Actions({ passkeys, totp, onAdd, onCodes }: ActionsProps) {
  const replace = useReplaceRecoveryCodes()
  const ownsCodes = passkeys.length > 0 && !totp.enrolled
  return (
    <>
      {ownsCodes && <p className="mb-4 text-sm text-ink-soft">You have {totp.recoveryCodesLeft} recovery codes left.</p>}
      <div className="flex flex-wrap gap-3">
        {passkeys.length < MOST_PASSKEYS && (
          <Button variant={passkeys.length > 0 ? 'secondary' : 'primary'} onClick={onAdd}>
            Add a passkey
          </Button>
        )}
        {ownsCodes && (
          <Button variant="secondary" onClick={() => replace.mutateAsync().then(({ recoveryCodes }) => onCodes(recoveryCodes))}>
            New recovery codes
          </Button>
        )}
      </div>
    </>
  )
}

/** `isKept`: it is the only factor of somebody who may not be without one. */
function PasskeyList({ passkeys, isKept }: { passkeys: Passkey[]; isKept: boolean }) {
  const [removing, setRemoving] = useState<Passkey>()
  const added = formatDateTimes(passkeys.map(({ createdAt }) => createdAt))
  const used = formatDateTimes(passkeys.map(({ lastUsedAt, createdAt }) => lastUsedAt ?? createdAt))
  return (
    <>
      <ul className="mt-4 divide-y divide-line border-y border-line">
        {passkeys.map((passkey, index) => (
          <li key={passkey.id} className="flex flex-wrap items-center gap-x-4 gap-y-2 px-5 py-3.5 sm:px-6">
            <KeyRound aria-hidden className="size-5 shrink-0 text-ink-faint" />
            <div className="min-w-0 flex-1">
              <p className="font-medium break-words">{passkey.name}</p>
              <p className="text-sm text-ink-faint">
                added {added[index]} · {passkey.lastUsedAt ? `last used ${used[index]}` : 'not used yet'}
              </p>
            </div>
            {!isKept && (
              <Button variant="secondary" size="sm" aria-label={`Remove the passkey ${passkey.name}`} onClick={() => setRemoving(passkey)}>
                Remove
              </Button>
            )}
          </li>
        ))}
      </ul>
      <RemoveDialog passkey={removing} onClose={() => setRemoving(undefined)} />
    </>
  )
}

function RemoveDialog({ passkey, onClose }: { passkey?: Passkey; onClose: () => void }) {
  const remove = useRemovePasskey()
  const confirm = () => {
    // The step-up dialog takes the place of this one.
    onClose()
    return passkey && remove.mutateAsync(passkey.id)
  }
  return (
    <ConfirmDialog
      open={passkey !== undefined}
      onClose={onClose}
      title="Remove this passkey?"
      confirm="Remove"
      cancel="Keep it"
      variant="danger"
      onConfirm={confirm}
    >
      <p className="text-sm">
        “{passkey?.name}” can no longer log in to your account. Your device may still list it: remove it there, too.
      </p>
    </ConfirmDialog>
  )
}
