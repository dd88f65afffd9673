import { Card, CardHeader } from '@/components/card'
import { Skeletons } from '@/components/skeleton'
import { ErrorPanel } from '@/components/states'
import type { MailPreferences } from '@/lib/api-types'
import { notify } from '@/lib/notify'
import { useChooseMails, useNoticePreferences } from '../api/preferences'

const choices: readonly { group: keyof MailPreferences; label: string; hint: string }[] = [
  { group: 'money', label: 'Money', hint: 'Seen payments, confirmed deposits and fees, bonuses' },
  { group: 'plans', label: 'Plans', hint: 'Opened, matured and ended investments' },
  { group: 'courses', label: 'Course', hint: 'Payment and access' },
  { group: 'cases', label: 'Cases', hint: 'Received, answered and closed' },
]

/** Which emails the member gets; the notices in the app stay [D-M7]. */
export function MailPreferencesCard() {
  const { data, isPending, isFetching, error, refetch } = useNoticePreferences()
  return (
    <Card>
      <CardHeader title="Emails" description="About security, withdrawals, rejections, corrections and complaints we always write." />
      {isPending ? (
        <div className="space-y-2 p-5 sm:p-6">
          <Skeletons count={3} className="h-11" label="Loading your email preferences" />
        </div>
      ) : !data ? (
        <ErrorPanel error={error} onRetry={() => void refetch()} busy={isFetching} />
      ) : (
        <Choices mail={data.mail} />
      )}
    </Card>
  )
}

function Choices({ mail }: { mail: MailPreferences }) {
  const { mutate, isPending } = useChooseMails()
  const choose = (group: keyof MailPreferences, wanted: boolean) =>
    mutate({ ...mail, [group]: wanted }, { onSuccess: ({ message }) => notify.success(message ?? 'Saved') })
  return (
    <fieldset disabled={isPending} className="space-y-1 p-5 sm:p-6">
      <legend className="sr-only">Emails that you want</legend>
      {choices.map(({ group, label, hint }) => (
        <label key={group} className="flex min-h-11 items-center gap-3 text-sm">
          <input
            type="checkbox"
            className="size-4.5 shrink-0 accent-accent"
            checked={mail[group]}
            onChange={({ target }) => choose(group, target.checked)}
          />
          <span>
            <span className="block font-medium">{label}</span>
            <span className="block text-ink-faint">{hint}</span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}
