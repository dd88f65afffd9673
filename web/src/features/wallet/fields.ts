/** The fields that the forms of the wallet share. */
import { amountRefusal } from '@/lib/amounts'
import { addressIn } from '@/lib/pasted-payment'
import { chosen, from, needed, text, trimmed, upTo } from '@/lib/schema'

export const amountField = text(trimmed, (typed) => amountRefusal(typed))
export const methodField = (message: string) => text(trimmed, needed(message))
export const addressField = text(addressIn, needed('Enter a wallet address'), from(10, 'Please enter a valid wallet address'), upTo(128))
export const memoField = text(trimmed, upTo(128))
export const PROOF_MISSING = 'Add the proof of payment'
export const proofField = chosen((value): value is File => value instanceof File, PROOF_MISSING)
