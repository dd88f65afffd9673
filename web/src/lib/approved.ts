import type { Transaction } from './api-types'

/** Whether an open withdrawal was approved: from then on its fee cannot be paid separately any more. */
export const isApproved = ({ steps }: Transaction) => steps.some(({ key, state }) => key === 'reviewed' && state === 'done')
