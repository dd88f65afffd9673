/** Which output of a blockchain transaction pays [D-B8]. */
import { formatAsset } from '@/lib/units'

const LARGEST = 4_294_967_295

/** The index that was typed: undefined for none, null for a malformed one. */
export function parseOutput(text: string): number | undefined | null {
  const typed = text.trim()
  if (typed === '') return undefined
  return /^\d{1,10}$/.test(typed) && Number(typed) <= LARGEST ? Number(typed) : null
}

type Paid = Parameters<typeof formatAsset>[0] & { txid: string; index: number }

export const placeOf = ({ txid, index }: Pick<Paid, 'txid' | 'index'>) => `${txid} ${index}`

/** One of several payments to choose from. */
export const paymentOption = (payment: Paid) => ({
  value: placeOf(payment), label: `${formatAsset(payment)}, output ${payment.index} of ${payment.txid.slice(0, 8)}`,
})
