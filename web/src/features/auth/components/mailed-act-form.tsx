import { Button } from '@/components/button'
import { Notice } from '@/components/notice'
import { SupportLink } from '@/components/support-link'
import { adviceOn, messageOf, toApiError } from '@/lib/api-error'
import { endSession } from '@/lib/session'
import { useMailedAct, type MailedAct } from '../api/take-back'

type Props = { act: MailedAct; token: string; label: string; done: string }

/** The confirmation of a link in a security mail. A press is required because mail programs open links by themselves. */
export function MailedActForm({ act, token, label, done }: Props) {
  const send = useMailedAct(act)
  if (send.data?.isAddressTaken) {
    return (
      <div role="status">
        <Notice tone="caution" title="Your account is frozen, and all sessions have ended">
          Your old email address could not be restored because another account uses it now. Please contact{' '}
          <SupportLink>support</SupportLink>.
        </Notice>
      </div>
    )
  }
  if (send.isSuccess) {
    return (
      <div role="status">
        <Notice title={done}>
          We have emailed you a link to set a new password. It works for 30 minutes; after that, request a new one.
          Payouts wait until you have set the password.
        </Notice>
      </div>
    )
  }
  const { error } = send
  const isDead = toApiError(error).code === 'INVALID_LINK'
  const press = () =>
    send.mutateAsync(token).then(
      // The server ended every session of the account, this browser's included.
      () => endSession({ left: true }),
      () => undefined,
    )
  return (
    <>
      {error && (
        <div role="alert" className="mb-6">
          <Notice tone="caution" title={messageOf(error)}>
            {isDead
              ? 'Each link works once, within 72 hours. If someone else still has access to your account, set a new password now.'
              : (adviceOn(error) ?? 'Please try again.')}
          </Notice>
        </div>
      )}
      {!isDead && (
        <Button size="lg" wide busyLabel="One moment..." onClick={press}>
          {label}
        </Button>
      )}
    </>
  )
}
