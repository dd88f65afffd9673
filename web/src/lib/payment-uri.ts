import { formatUnits } from './units'

type Payment = { asset: string; address: string; units: string; decimals: number }

/**
 * What a wallet reads from a QR code: BIP-21 for bitcoin, EIP-681 for ether; otherwise the plain address. The link of a token
 * would lead to its contract, which the treasury key does not sign: anyone who took a service could name another one.
 */
export function paymentUri({ asset, address, units, decimals }: Payment): string {
  if (asset === 'BTC') return `bitcoin:${address}?amount=${formatUnits(units, decimals)}`
  return asset === 'ETH' ? `ethereum:${address}@1?value=${units}` : address
}
