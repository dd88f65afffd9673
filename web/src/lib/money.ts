/** Money on the screen: integer cents inside, dollars on the wire, "$" and two decimals for the eye. No float arithmetic. */

/** A dollar amount of the wire as integer cents. */
export function toCents(dollars: number): number {
  const [whole = '0', part = '00'] = Math.abs(dollars).toFixed(2).split('.')
  const cents = Number(whole) * 100 + Number(part)
  return dollars < 0 ? -cents : cents
}

/** Integer cents as the JSON number the contract wants. */
export function toDollars(cents: number): number {
  return Number(plainDollars(cents))
}

/** Integer cents as plain digits for an input: `1250.00`. */
export function plainDollars(cents: number): string {
  const digits = String(Math.abs(cents)).padStart(3, '0')
  return `${cents < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
}

const groups = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 })

/** `$1,250.00` */
export function formatCents(cents: number): string {
  const digits = String(Math.abs(cents)).padStart(3, '0')
  return `${cents < 0 ? '-' : ''}$${groups.format(Number(digits.slice(0, -2)))}.${digits.slice(-2)}`
}

/** A dollar amount of the wire as `$1,250.00` [MSG-04]. */
export function formatMoney(dollars: number): string {
  return formatCents(toCents(dollars))
}

export function sumCents(amounts: readonly number[]): number {
  return amounts.reduce((sum, amount) => sum + toCents(amount), 0)
}

/** A dollar amount of the wire without needless cents: `$50,000`, `$87.50`. */
export function formatBrief(dollars: number): string {
  return formatMoney(dollars).replace(/\.00$/, '')
}

/** The fee of a withdrawal at this many percent, with two decimals at most: rounded half up to the cent. */
export function withdrawalFee(cents: number, percent: number): number {
  return Math.floor((cents * toCents(percent) + 5_000) / 10_000)
}

/** `part` of `whole` in percent with one decimal, 0 when there is no whole. */
export function percentOf(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((part * 1000) / whole) / 10
}

/** `+4.2%`; a true minus keeps the column straight. */
export function formatPercent(percent: number, { signed = false } = {}): string {
  const sign = percent < 0 ? '-' : signed && percent > 0 ? '+' : ''
  return `${sign}${Math.abs(percent).toFixed(1)}%`
}
