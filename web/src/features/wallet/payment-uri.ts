import { formatUnits } from '@/lib/units'

type Payment = { chain: string; contract?: string; address: string; units: string; decimals: number }

/**
 * What a wallet reads from a QR code: BIP-21 for Bitcoin, EIP-681 for ether; elsewhere the plain address. The link of a token
 * would lead to its contract, which the treasury key does not sign: whoever took a service could name another one.
 */
export function paymentUri({ chain, contract, address, units, decimals }: Payment): string {
  if (chain === 'bitcoin') return `bitcoin:${address}?amount=${formatUnits(units, decimals)}`
  return chain === 'ethereum' && !contract ? `ethereum:${address}@1?value=${units}` : address
}
