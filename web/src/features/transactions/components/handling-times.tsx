import { spanInWords } from '@/lib/durations'
import { useHandlingTimes } from '../api/get-times'

const told = {
  // A review also ends in a refusal, and counts course payments.
  deposit: 'half of all payments were reviewed',
  withdrawal: 'half of all withdrawals were paid out',
}

/**
 * How long it took lately, to compare with what the page promises; nothing while that is unknown.
 * Stands last in its card, where its arrival moves nothing.
 */
export function HandlingTimes({ of }: { of: keyof typeof told }) {
  const times = useHandlingTimes().data?.[of]
  if (!times) return null
  return (
    <p className="mt-4 text-sm text-ink-faint">
      In the last 24 hours {told[of]} within {spanInWords(times.median)}, nine of ten within {spanInWords(times.p90)}.
    </p>
  )
}
