import { formatUnits } from '@/lib/units'

type Payment = { chain: string; contract?: string; address: string; units: string; decimals: number }

/** What a wallet reads from a QR code: BIP-21 for Bitcoin, EIP-681 for Ethereum; elsewhere the plain address. */
export function paymentUri({ chain, contract, address, units, decimals }: Payment): string {
  if (chain === 'bitcoin') return `bitcoin:${address}?amount=${formatUnits(units, decimals)}`
  if (chain !== 'ethereum') return address
  return contract ? `ethereum:${contract}@1/transfer?address=${address}&uint256=${units}` : `ethereum:${address}@1?value=${units}`
}
