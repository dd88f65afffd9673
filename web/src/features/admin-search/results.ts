/** What a search found as one list, each with where it leads. */
import { adminPaths } from '@/features/admin/paths'
import type { Found } from '@/features/admin/api/types'
import { formatMoney } from '@/lib/money'
import { formatAsset } from '@/lib/units'

export type BackOfficePage = { to: string; label: string }

export type Result = { id: string; group: string; title: string; detail: string; to: string }

/** Letters without their marks and in one case, so that what is typed quickly matches. */
const plain = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()

const pageResults = (text: string, pages: readonly BackOfficePage[]): Result[] =>
  pages
    .filter(({ label }) => plain(label).includes(plain(text.trim())))
    .map(({ to, label }) => ({ id: `page ${to}`, group: 'Pages', title: label, detail: '', to }))

/** In the order of the list; a payment without a transaction leads to the unclaimed ones. */
export function resultsOf(text: string, pages: readonly BackOfficePage[], found?: Found): Result[] {
  const transactions = found?.transactions.map(
    ({ id, reference, title, status, amount, user }): Result => ({
      id: `transaction ${id}`,
      group: 'Transactions',
      title: `${reference} · ${formatMoney(amount)}`,
      detail: `${title}, ${status} · ${user.name}`,
      to: adminPaths.review(id),
    }),
  )
  const members = found?.members.map(
    ({ id, name, email, isFrozen }): Result => ({
      id: `member ${id}`,
      group: 'Members',
      title: name,
      detail: `${email}${isFrozen ? ' · frozen' : ''}`,
      to: adminPaths.member(id),
    }),
  )
  const payments = found?.payments.map(
    (one): Result => ({
      id: `payment ${one.txid} ${one.index}`,
      group: 'Payments on chains',
      title: `${formatAsset(one)} ${one.outgoing ? 'sent' : 'received'}`,
      detail: `${one.chain} · ${one.state} · ${one.txid.slice(0, 12)}…, output ${one.index}`,
      to: one.transactionId ? adminPaths.review(one.transactionId) : one.outgoing ? adminPaths.solvency : adminPaths.unclaimed,
    }),
  )
  return [...(transactions ?? []), ...(members ?? []), ...(payments ?? []), ...pageResults(text, pages)]
}
