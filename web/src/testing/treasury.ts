/** The signed addresses that payment-method is tested with, too. */
import type { PaymentMethod } from '@/lib/api-types'

type Vectors = {
  keys: string[]
  statements: (Pick<PaymentMethod, 'currency' | 'network' | 'address' | 'version'> & { memo: string; text: string; signature: string })[]
}

const files = import.meta.glob<Vectors>('../../../services/payment-method/tests/treasury.json', { import: 'default', eager: true })

export const { keys, statements } = Object.values(files)[0] as Vectors
