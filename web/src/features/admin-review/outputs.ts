/** Which output of a blockchain transaction pays [D-B8]. */

const LARGEST = 4_294_967_295

/** The index that was typed: undefined for none, null for a malformed one. */
export function parseOutput(text: string): number | undefined | null {
  const typed = text.trim()
  if (typed === '') return undefined
  return /^\d{1,10}$/.test(typed) && Number(typed) <= LARGEST ? Number(typed) : null
}
