import type { Integrity } from '@/features/admin/api/types'
import { formatMoney } from '@/lib/money'

/** The server's verdict in words: on whether what is held covers what is owed, then on the entries. No screen has another [D-T4]. */
export function verdictOn(books: Integrity): { ok: boolean; title: string; text: string } {
  const { missing } = books.solvency
  if (missing > 0) {
    const text = `${formatMoney(missing)} is missing. Do not pay anything out until the cause is found.`
    return { ok: false, title: 'Holdings do not cover what members are owed', text }
  }
  if (books.ok) {
    return { ok: true, title: 'The ledger is consistent', text: 'Every posting sums to zero, every balance equals its entries, and what is held covers what members are owed.' }
  }
  const isHeldWrong = books.faults.length > 0 && books.faults.every(({ subject }) => subject === 'holding' || subject === 'payment')
  const title = isHeldWrong ? 'What is held does not match the books' : 'The ledger does not balance'
  return { ok: false, title, text: 'Do not pay anything out until the cause is found. The failed checks name it.' }
}
