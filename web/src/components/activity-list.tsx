import { Ban, DoorClosed, DoorOpen, Download, KeyRound, LogIn, LogOut, Mail, MapPin, ShieldAlert, ShieldCheck, Snowflake, type LucideIcon } from 'lucide-react'
import { useId } from 'react'
import { cx } from './cx'
import type { SecurityEvent } from '@/lib/api-types'
import { byDay } from '@/lib/by-day'
import { formatDay, formatMoments, formatTimes } from '@/lib/dates'

type Sentence = { text: string; refused?: string; icon?: LucideIcon }

/** Labels of the event kinds, with a shield unless another icon is named. An unknown kind, from a newer server, is shown unchanged. */
const sentences: Record<SecurityEvent['kind'], Sentence> = {
  sign_in: { text: 'Logged in', refused: 'Login failed', icon: LogIn },
  step_up: { text: 'Second factor confirmed', refused: 'Wrong second factor' },
  password: { text: 'Password confirmed', refused: 'Wrong password', icon: KeyRound },
  email_code: { text: 'Emailed code confirmed', refused: 'Wrong emailed code', icon: Mail },
  sign_out: { text: 'Logged out', icon: LogOut },
  session_ended: { text: 'Session ended', icon: LogOut },
  password_changed: { text: 'Password changed', icon: KeyRound },
  password_reset: { text: 'Password reset by email link', icon: KeyRound },
  email_change_requested: { text: 'Email change requested', icon: Mail },
  email_changed: { text: 'Email changed', icon: Mail },
  email_change_undone: { text: 'Email change undone', icon: Mail },
  disowned: { text: 'Reported as unauthorized: all sessions ended', icon: ShieldAlert },
  factors_changed: { text: 'Second factors changed' },
  data_exported: { text: 'Downloaded all account data', icon: Download },
  destination_entered: { text: 'Payout address entered', icon: MapPin },
  destination_confirmed: { text: 'Payout address confirmed', icon: MapPin },
  closing_requested: { text: 'Closing of the account requested', icon: DoorClosed },
  closing_called_off: { text: 'Closing of the account called off', icon: DoorOpen },
  closed: { text: 'Account closed', icon: DoorClosed },
  frozen: { text: 'Account frozen', icon: Snowflake },
  unfrozen: { text: 'Account unfrozen' },
}

/** What an event was, in words. */
export const activitySentence = (kind: SecurityEvent['kind'], isRefused: boolean): string =>
  (isRefused && sentences[kind]?.refused) || (sentences[kind]?.text ?? kind)

/** The security log of an account, newest first, by day; what happened several times in a row, or logins alike over days, is one entry [D-A7]. */
export function ActivityList({ events, className }: { events: SecurityEvent[]; className?: string }) {
  return (
    <div className={className}>
      {byDay(merged(events), ({ event }) => event.at).map(([day, some]) => (
        <Day key={day} day={day} entries={some} />
      ))}
    </div>
  )
}

/** The newest of several alike, and when each of them was. */
type Entry = { event: SecurityEvent; at: string[] }

const dayOf = ({ at }: SecurityEvent) => at && formatDay(at)

const isSame = (one: SecurityEvent, other: SecurityEvent) =>
  one.kind === other.kind &&
  one.refused === other.refused &&
  one.device === other.device &&
  one.addressBlock === other.addressBlock &&
  ((one.kind === 'sign_in' && !one.refused) || dayOf(one) === dayOf(other))

/** Repetitions as one entry, at the time of the newest. */
function merged(events: readonly SecurityEvent[]): Entry[] {
  const entries: Entry[] = []
  for (const event of events) {
    const before = entries.at(-1)
    if (before && isSame(before.event, event)) before.at.push(event.at ?? '')
    else entries.push({ event, at: [event.at ?? ''] })
  }
  return entries
}

function Day({ day, entries }: { day: string; entries: Entry[] }) {
  const heading = useId()
  const times = formatTimes(entries.map(({ event }) => event.at ?? ''))
  return (
    <>
      <p id={heading} className="bg-sunken px-5 py-1.5 text-xs font-semibold sm:px-6">
        {day}
      </p>
      <ul aria-labelledby={heading} className="divide-y divide-line">
        {entries.map((entry, index) => (
          <ActivityRow key={`${entry.event.at}-${index}`} entry={entry} time={times[index] ?? ''} />
        ))}
      </ul>
    </>
  )
}

function ActivityRow({ entry: { event, at }, time }: { entry: Entry; time: string }) {
  const { kind, refused, device, addressBlock } = event
  const Icon = refused ? Ban : (sentences[kind]?.icon ?? ShieldCheck)
  const origin = [device, addressBlock].filter(Boolean).join(' · ')
  return (
    <li className="flex items-start gap-4 px-5 py-3.5 sm:px-6">
      <Icon aria-hidden className={cx('mt-0.5 size-5 shrink-0', refused ? 'text-negative' : 'text-ink-faint')} />
      <div className="min-w-0 flex-1">
        <p className={cx('font-medium', refused && 'text-negative')}>{activitySentence(kind, refused)}</p>
        {origin && <p className="text-sm break-words text-ink-soft">{origin}</p>}
        {at.length === 1 ? <p className="text-sm text-ink-faint">{time}</p> : <Times at={at} last={time} />}
      </div>
    </li>
  )
}

/** How often, since when if not that day, and each time on demand. */
function Times({ at, last }: { at: string[]; last: string }) {
  const [newest = '', first = ''] = [at[0], at.at(-1)]
  const since = formatDay(first) === formatDay(newest) ? '' : ` since ${formatDay(first)}`
  return (
    <details className="text-sm text-ink-faint">
      <summary className="inline-flex min-h-6 cursor-pointer items-center underline underline-offset-3 hover:text-ink pointer-coarse:min-h-11">{`${at.length} times${since}, last at ${last}`}</summary>
      <p className="tabular mt-1 gap-x-6 sm:columns-3">
        {formatMoments(at).map((moment, index) => (
          <span key={`${moment}-${index}`} className="block">
            {moment}
          </span>
        ))}
      </p>
    </details>
  )
}
