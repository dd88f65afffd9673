import { formatSeconds, formatSpan } from '@/lib/durations'
import { useHandlingTimes } from '../api/get-times'

const told = {
  // A review also ends in a refusal, and counts course payments.
  deposit: 'Time to review in the last 24 hours',
  withdrawal: 'Time to payout in the last 24 hours',
}

/**
 * How long it took lately, to compare with what the page promises; nothing while too few were handled to tell.
 * Stands last in its card, where its arrival moves nothing.
 */
export function HandlingTimes({ of }: { of: keyof typeof told }) {
  const times = useHandlingTimes().data?.[of]
  if (!times) return null
  return (
    <p className="tabular mt-4 text-sm text-ink-faint">
      {`${told[of]}: median ${formatSeconds(times.median)} · 90% within ${formatSpan(times.p90)}`}
    </p>
  )
}
