/** Amounts of assets: digits of the smallest unit inside, a decimal number for the eye. No float arithmetic. */

type AssetAmount = { asset: string; units: string; decimals: number }

/** `513809` with 8 decimals as `0.00513809` */
export function formatUnits(units: string, decimals: number): string {
  const digits = units.padStart(decimals + 1, '0')
  const point = digits.length - decimals
  const fraction = digits.slice(point).replace(/0+$/, '')
  return fraction ? `${digits.slice(0, point)}.${fraction}` : digits.slice(0, point)
}

/** `0.00513809 BTC` */
export const formatAsset = ({ asset, units, decimals }: AssetAmount) => `${formatUnits(units, decimals)} ${asset}`

/** `0.00513809 BTC` as `about 0.005138 BTC`: an estimate has four digits that count, rounded down. */
export function aboutAsset({ asset, units, decimals }: AssetAmount): string {
  const kept = Math.max(4, units.length - decimals)
  return `about ${formatUnits(units.slice(0, kept).padEnd(units.length, '0'), decimals)} ${asset}`
}

/** A rate of the wire as `$97,312.45`. */
export function formatRate(rate: string): string {
  const [whole = '0', fraction = ''] = rate.split('.')
  return `$${whole.replace(/\B(?=(\d{3})+$)/g, ',')}.${fraction.padEnd(2, '0')}`
}
