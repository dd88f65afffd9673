import { Suspense, lazy, useState } from 'react'
import { Badge } from '@/components/badge'
import { Button } from '@/components/button'
import { Card, CardHeader } from '@/components/card'
import { ConfirmDialog } from '@/components/dialog'
import { Notice } from '@/components/notice'
import { Skeleton, Skeletons } from '@/components/skeleton'
import { ErrorPanel } from '@/components/states'
import type { Totp } from '@/lib/api-types'
import { loadChunk } from '@/lib/load-chunk'
import { useBeginTotp, useRemoveTotp, useReplaceRecoveryCodes, useTotp, type NewTotp } from '../api/factors'
import { PasswordStep } from './password-step'
import { RecoveryCodes } from './recovery-codes'

// With the QR code, which only this step needs.
const SecretStep = lazy(async () => ({ default: (await loadChunk(() => import('./secret-step'))).SecretStep }))

/** From this number on the owner is asked to make new ones. */
const FEW_CODES = 3

type Step =
  | { name: 'state' }
  | { name: 'password' }
  | { name: 'secret'; begun: NewTotp }
  | { name: 'codes'; codes: readonly string[] }

type AuthenticatorCardProps = {
  /** Asks members for their password before their first authenticator. */
  asksForPassword?: boolean
  /** Called once an authenticator is active. */
  onEnrolled?: () => void
}

/** The authenticator app: how it stands, setting it up, recovery codes, which are shown once, and turning it off [D-A3] [D-O1]. */
export function AuthenticatorCard(props: AuthenticatorCardProps) {
  const { data: totp, isPending, isFetching, error, refetch } = useTotp()
  return (
    <Card>
      <CardHeader
        title="Two-factor authentication"
        description="A code from an authenticator app, in addition to your password."
        action={totp && <Badge tone={totp.enrolled ? 'positive' : 'neutral'}>{totp.enrolled ? 'On' : 'Off'}</Badge>}
      />
      <div className="p-5 sm:p-6">
        {isPending ? (
          <Skeletons count={1} className="h-20" label="Loading two-factor authentication" />
        ) : totp ? (
          <Suspense fallback={<Skeleton className="h-20" />}>
            <Steps totp={totp} {...props} />
          </Suspense>
        ) : (
          <ErrorPanel error={error} onRetry={() => void refetch()} busy={isFetching} />
        )}
      </div>
    </Card>
  )
}

function Steps({ totp, asksForPassword = false, onEnrolled }: AuthenticatorCardProps & { totp: Totp }) {
  const [step, setStep] = useState<Step>({ name: 'state' })
  const showState = () => setStep({ name: 'state' })
  const showSecret = (begun: NewTotp) => setStep({ name: 'secret', begun })
  const showCodes = (codes: readonly string[]) => setStep({ name: 'codes', codes })
  switch (step.name) {
    case 'password':
      return <PasswordStep onBegun={showSecret} onCancel={showState} />
    case 'secret':
      return (
        <SecretStep
          {...step.begun}
          onDone={(codes) => {
            showCodes(codes)
            onEnrolled?.()
          }}
        />
      )
    case 'codes':
      return <RecoveryCodes codes={step.codes} onDone={showState} />
    default:
      return totp.enrolled ? (
        <Enrolled totp={totp} onBegun={showSecret} onCodes={showCodes} />
      ) : (
        <NotEnrolled totp={totp} onBegun={showSecret} onPassword={asksForPassword ? () => setStep({ name: 'password' }) : undefined} />
      )
  }
}

type NotEnrolledProps = { totp: Totp; onBegun: (begun: NewTotp) => void; onPassword?: () => void }

function NotEnrolled({ totp, onBegun, onPassword }: NotEnrolledProps) {
  const begin = useBeginTotp()
  return (
    <>
      <p className="text-sm text-ink-soft">
        {totp.required
          ? 'Set up an authenticator app to use the back office. It takes a minute.'
          : 'Even someone who knows your password cannot log in or withdraw without your phone. Setting it up takes a minute.'}
      </p>
      <Button className="mt-4" onClick={onPassword ?? (() => begin.mutateAsync({}).then(onBegun))}>
        Set up
      </Button>
    </>
  )
}

type EnrolledProps = { totp: Totp; onBegun: (begun: NewTotp) => void; onCodes: (codes: readonly string[]) => void }

function Enrolled({ totp: { required, passkeys, recoveryCodesLeft: left }, onBegun, onCodes }: EnrolledProps) {
  const begin = useBeginTotp()
  const replace = useReplaceRecoveryCodes()
  const [isRemoving, setRemoving] = useState(false)
  return (
    <>
      {left <= FEW_CODES ? (
        <Notice tone="caution" title={left === 1 ? '1 recovery code left' : `${left} recovery codes left`}>
          Create new ones now: without a recovery code, a lost phone locks you out.
        </Notice>
      ) : (
        <p className="text-sm text-ink-soft">It is set up. You have {left} recovery codes left.</p>
      )}
      <div className="mt-4 flex flex-wrap gap-3">
        <Button variant="secondary" onClick={() => replace.mutateAsync().then(({ recoveryCodes }) => onCodes(recoveryCodes))}>
          New recovery codes
        </Button>
        <Button variant="secondary" onClick={() => begin.mutateAsync({}).then(onBegun)}>
          Set up another one
        </Button>
        {(!required || passkeys > 0) && (
          <Button variant="ghost" onClick={() => setRemoving(true)}>
            Turn off
          </Button>
        )}
      </div>
      <RemoveDialog open={isRemoving} onClose={() => setRemoving(false)} hasPasskeys={passkeys > 0} />
    </>
  )
}

function RemoveDialog({ open, onClose, hasPasskeys }: { open: boolean; onClose: () => void; hasPasskeys: boolean }) {
  const remove = useRemoveTotp()
  const turnOff = () => {
    // The step-up dialog takes the place of this one.
    onClose()
    return remove.mutateAsync()
  }
  return (
    <ConfirmDialog
      open={open}
      onClose={onClose}
      title="Turn off two-factor authentication?"
      confirm="Turn off"
      cancel="Keep it on"
      variant="danger"
      onConfirm={turnOff}
    >
      <p className="text-sm">
        {hasPasskeys
          ? 'Your passkeys and your recovery codes keep working.'
          : 'Your password alone is then enough to log in and withdraw. The recovery codes stop working.'}
      </p>
    </ConfirmDialog>
  )
}
