import type { GroupPreferences, NoticePreferences } from '@/lib/api-types'
import { notify } from '@/lib/notify'
import { useChooseNotices } from '../api/preferences'

const choices: readonly { group: keyof GroupPreferences; label: string; hint: string }[] = [
  { group: 'money', label: 'Money', hint: 'Seen payments, confirmed deposits and fees, bonuses' },
  { group: 'plans', label: 'Plans', hint: 'Opened, matured and ended investments' },
  { group: 'courses', label: 'Course', hint: 'Payment and access' },
  { group: 'cases', label: 'Cases', hint: 'Received, answered and closed' },
]

type ChoicesProps = { legend: string; way: 'mail' | 'push'; preferences: NoticePreferences }

/** What comes by mail, or to devices. */
export function GroupChoices({ legend, way, preferences: { mail, push } }: ChoicesProps) {
  const { mutate, isPending } = useChooseNotices()
  const chosen = { mail, push }
  const choose = (group: keyof GroupPreferences, wanted: boolean) =>
    mutate(
      { ...chosen, [way]: { ...chosen[way], [group]: wanted } },
      { onSuccess: ({ message }) => notify.success(message ?? 'Saved') },
    )
  return (
    <fieldset disabled={isPending} className="space-y-1 p-5 sm:p-6">
      <legend className="sr-only">{legend}</legend>
      {choices.map(({ group, label, hint }) => (
        <label key={group} className="flex min-h-11 items-center gap-3 text-sm">
          <input
            type="checkbox"
            className="size-4.5 shrink-0 accent-accent"
            checked={chosen[way][group]}
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
