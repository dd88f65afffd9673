import type { StaffCase } from '@/features/admin/api/types'

/** When staff owe something next; a complaint also its settlement. Nothing of a closed case. */
export function dueOf({ state, answerDueAt, complaintDueAt }: Pick<StaffCase, 'state' | 'answerDueAt' | 'complaintDueAt'>): string | undefined {
  if (state === 'closed') return undefined
  return [answerDueAt, complaintDueAt].filter((at) => at != null).sort((one, other) => Date.parse(one) - Date.parse(other))[0]
}
