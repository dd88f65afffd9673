import { Badge, type Tone } from '@/components/badge'

const kinds: Record<string, { tone: Tone; label: string }> = {
  deposit: { tone: 'accent', label: 'Deposit' },
  course: { tone: 'neutral', label: 'Course' },
  fee: { tone: 'neutral', label: 'Fee' },
  withdrawal: { tone: 'caution', label: 'Withdrawal' },
  payout: { tone: 'caution', label: 'Payout' },
}

export const kindName = (kind: string) => kinds[kind]?.label ?? kind.charAt(0).toUpperCase() + kind.slice(1)

export function KindBadge({ kind }: { kind: string }) {
  return <Badge tone={kinds[kind]?.tone ?? 'neutral'}>{kindName(kind)}</Badge>
}
