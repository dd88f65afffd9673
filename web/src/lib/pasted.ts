/**
 * What people type and paste, cleaned once before any grammar looks at it: marks that nobody sees, the digits and blanks of
 * other scripts, the words around a code. `pasted-payment.ts` has what only payments need.
 */

/** The same text with plain digits, blanks and dashes, without marks that have no picture. */
export function plain(text: string): string {
  return text
    .replace(/\p{Cf}/gu, '')
    .replace(/\p{Nd}/gu, digitOf)
    .replace(/\p{Pd}/gu, '-')
    .replace(/[\s\p{Z}\p{Cc}]+/gu, ' ')
    .trim()
}

/** `0` to `9` of every script: ten in a row, the zero first. */
function digitOf(character: string): string {
  const point = character.codePointAt(0) ?? 0
  if (point < 128) return character
  // Full-width and mathematical digits, which follow upon each other.
  const compatible = character.normalize('NFKC')
  if (compatible !== character) return compatible
  let value = 0
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(point - value - 1))) value++
  return String(value)
}

/** The six digits of a code, out of the text around them: `Your code is 123 456`. */
export function codeIn(text: string): string {
  const cleaned = plain(text)
  const grouped = cleaned.match(/(?<!\d)\d{3}[ -]?\d{3}(?!\d)/)?.[0] ?? cleaned
  return grouped.replace(/\D/g, '')
}

/** A code of an authenticator app or a recovery code, which phones write with long dashes. */
export const factorCodeIn = (text: string) => plain(text)

/** A phone number from a contact: the server takes digits, blanks, brackets and hyphens. */
export const phoneIn = (text: string) => plain(text).replace(/^tel:/i, '').replace(/[./]/g, ' ').replace(/ +/g, ' ').trim()

/** An email address out of `Amara <amara@example.com>` or `mailto:amara@example.com`. */
export function emailIn(text: string): string {
  const cleaned = plain(text)
  return (cleaned.match(/<([^<>]+)>$/)?.[1] ?? cleaned).replace(/^mailto:/i, '').replace(/ /g, '')
}
