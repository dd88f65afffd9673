/** How cases are called on screens of members and staff. */
import type { Case, CaseSubject, CaseTopic } from '@/lib/api-types'

export const topics: Record<CaseTopic, string> = {
  deposit: 'Deposit',
  withdrawal: 'Withdrawal',
  investment: 'Investment',
  course: 'Course',
  account: 'Account',
  security: 'Security',
  other: 'Something else',
}

export const isTopic = (text: string | null): text is CaseTopic => text !== null && text in topics

export const states: Record<Case['state'], { label: string; tone: 'caution' | 'positive' | 'neutral' }> = {
  open: { label: 'We will answer', tone: 'caution' },
  waiting: { label: 'Answered', tone: 'positive' },
  closed: { label: 'Closed', tone: 'neutral' },
}

const kinds: Record<CaseSubject['kind'], string> = {
  transaction: 'Transaction',
  trade: 'Investment',
  hold: 'Hold',
  freeze: 'Frozen account',
  document: 'Document',
  payment: 'Payment',
}

export const isKind = (text: string | null): text is CaseSubject['kind'] => text !== null && text in kinds

/** `Transaction TNX-0193f1`, `Payment 0xfeed`, `Frozen account`. */
export function subjectText({ kind, reference }: CaseSubject): string {
  if (kind === 'freeze') return kinds.freeze
  const shown = kind === 'transaction' ? `TNX-${reference.slice(0, 6)}` : kind === 'trade' || kind === 'hold' ? reference.slice(0, 8) : reference
  return `${kinds[kind]} ${shown}`
}
