/** What is shown, as a file for a spreadsheet. */
import type { Transaction } from '@/lib/api-types'
import { formatUnits } from '@/lib/units'

type Cell = string | number | null | undefined

const unitsOf = (of?: { units: string; decimals: number }) => of && formatUnits(of.units, of.decimals)

const columns: [name: string, of: (one: Transaction) => Cell][] = [
  ['date', ({ createdAt }) => createdAt],
  ['reference', ({ reference }) => reference],
  ['title', ({ title }) => title],
  ['description', ({ description }) => description],
  ['status', ({ status }) => status],
  ['type', ({ type }) => type],
  ['amount', ({ amount }) => amount.toFixed(2)],
  ['fee', ({ fee }) => fee?.toFixed(2)],
  ['net amount', ({ netAmount }) => netAmount?.toFixed(2)],
  ['asset', ({ payout, quote, method }) => payout?.asset ?? quote?.asset ?? method?.currency],
  ['units', ({ payout, quote }) => unitsOf(payout ?? quote)],
  ['rate', ({ payout, quote }) => payout?.rate ?? quote?.rate],
  ['network', ({ method }) => method?.network],
  ['address', ({ destination, method }) => destination?.address ?? method?.address],
  ['hash', ({ txid }) => txid],
]

/** A cell that no spreadsheet takes for a formula. */
function cell(value: Cell): string {
  const text = String(value ?? '')
  const safe = /^[=+\-@\t\r]/.test(text) && !/^-?\d+(\.\d+)?$/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

export const csvOf = (transactions: readonly Transaction[]) =>
  [columns.map(([name]) => name), ...transactions.map((one) => columns.map(([, of]) => of(one)))].map((row) => `${row.map(cell).join(',')}\r\n`).join('')
