/** Addresses, hashes and amounts as people paste them: out of payment links, explorers' links and other countries' notation. */
import { plain } from './pasted'

const decoded = (text: string) => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const isLink = (text: string) => /^https?:\/\//i.test(text)

/** A wallet address out of a payment link (BIP-21, EIP-681 and their likes) or an explorer's page about it. */
export function addressIn(text: string): string {
  const cleaned = plain(text).replace(/ /g, '')
  if (isLink(cleaned)) return cleaned.match(/\/(?:address|addresses|account|accounts|wallet)(?:\/[a-z]{2,12})?\/([A-Za-z0-9]{20,})(?=[/?#]|$)/)?.[1] ?? cleaned
  const link = cleaned.match(/^[a-z][a-z0-9+.-]{1,20}:(?:\/\/)?(?:pay-)?([A-Za-z0-9]{20,})(?:@\d+)?(?:\/([a-z]+))?(?:\?(.*))?$/i)
  if (!link) return cleaned
  const [, named = cleaned, call, query = ''] = link
  // Of a token the link names the contract, and its recipient as a parameter.
  if (call) return decoded(new URLSearchParams(query).get('address') ?? cleaned)
  return named
}

/** A transaction hash out of an explorer's link or the words around it; on other networks what was typed. */
export function hashIn(text: string): string {
  const cleaned = plain(text).replace(/ /g, '')
  const found = [...new Set(cleaned.match(/(?<![0-9a-z])(?:0x)?[0-9a-f]{64}(?![0-9a-f])/gi))]
  return (found.length === 1 && found[0]) || cleaned
}

/** What an amount may mean. */
export type AmountReading = { cents: number } | { either: number[] } | null

const AMOUNT = /^(0|[1-9][0-9]{0,9})(\.[0-9]{1,2})?$/
const grouped = (mark: string) => new RegExp(`^[1-9][0-9]{0,2}(\\${mark}[0-9]{3})+$`)

/** Dollars with cents after a point or a comma, with or without groups; `either` where a mark may be both. */
export function readAmount(text: string): AmountReading {
  const bare = plain(text)
    .replace(/^(?:US)?\$ ?|^USD ?/i, '')
    .replace(/ ?(?:USD|US\$|\$|dollars?)$/i, '')
    .replace(/^(?=[.,]\d{1,2}$)/, '0')
    .replace(/(\d)[.,]$/, '$1')
  const spaced = bare.replace(/['’´`]/g, ' ')
  const digits = /^[0-9]{1,3}( [0-9]{3})+([.,][0-9]{1,2})?$/.test(spaced) ? spaced.replaceAll(' ', '') : bare
  if (!/^[0-9][0-9.,]*$/.test(digits)) return null
  const last = Math.max(digits.lastIndexOf('.'), digits.lastIndexOf(','))
  if (last < 0) return asCents(digits)
  const mark = digits.charAt(last)
  const other = mark === '.' ? ',' : '.'
  const [whole, part] = [digits.slice(0, last), digits.slice(last + 1)]
  if (part.length < 3) {
    const isPlain = /^\d+$/.test(whole) && digits.split(mark).length === 2
    return isPlain || grouped(other).test(whole) ? asCents(`${whole.replaceAll(other, '')}.${part}`) : null
  }
  if (!grouped(mark).test(digits)) return null
  const thousands = asCents(digits.replaceAll(mark, ''))
  // A comma groups here, as in what the screens show; a single point may group or be the decimal one.
  if (mark === ',' || digits.split(mark).length > 2 || !thousands) return thousands
  const small = part.endsWith('0') ? asCents(`${whole}.${part.slice(0, 2)}`) : null
  return { either: [thousands, small].flatMap((one) => (one ? [one.cents] : [])) }
}

function asCents(text: string): { cents: number } | null {
  if (!AMOUNT.test(text)) return null
  const [dollars = '0', cents = ''] = text.split('.')
  return { cents: Number(dollars) * 100 + Number(cents.padEnd(2, '0')) }
}
