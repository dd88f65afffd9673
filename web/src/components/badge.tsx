import type { ReactNode } from 'react'
import { cx } from './cx'
import type { TransactionStatus } from '@/lib/api-types'

const tones = {
  positive: 'bg-positive-soft text-positive',
  caution: 'bg-caution-soft text-caution',
  negative: 'bg-negative-soft text-negative',
  accent: 'bg-accent-soft text-accent-text',
  neutral: 'bg-sunken text-ink-soft',
}

export type Tone = keyof typeof tones

export function Badge({ tone = 'neutral', dot = false, children }: { tone?: Tone; dot?: boolean; children: ReactNode }) {
  return (
    <span className={cx('inline-flex items-center gap-1.5 rounded-full px-2.5 py-0.5 text-xs font-semibold', tones[tone])}>
      {dot && <span aria-hidden className="size-1.5 rounded-full bg-current" />}
      {children}
    </span>
  )
}

const statuses: Record<TransactionStatus, { tone: Tone; label: string }> = {
  pending: { tone: 'caution', label: 'Pending' },
  success: { tone: 'positive', label: 'Success' },
  failed: { tone: 'negative', label: 'Failed' },
}

/** Pending yellow, success green, failed red [TXN-05]. */
export function StatusBadge({ status }: { status: TransactionStatus }) {
  const { tone, label } = statuses[status]
  return (
    <Badge tone={tone} dot>
      {label}
    </Badge>
  )
}
