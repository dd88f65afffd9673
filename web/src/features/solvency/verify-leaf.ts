/** Verifies a member's part of the proof of liabilities in the browser, from published bytes alone [D-B6]. */
import type { ProofLeaf, Solvency } from '@/lib/api-types'
import { toCents } from '@/lib/money'

export type Published = Pick<Solvency['owed'], 'root' | 'total'>

const fromHex = (text: string) => Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
const toHex = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')

/** Cents as a big-endian 64-bit number. */
function int64(cents: number): Uint8Array {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigInt64(0, BigInt(cents))
  return bytes
}

async function sha256(...parts: Uint8Array[]): Promise<Uint8Array> {
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
}

/** Whether the leaf of this member leads to the published root and total. */
export async function verifyLeaf(userId: string, leaf: ProofLeaf, published: Published): Promise<boolean> {
  let sum = toCents(leaf.amount)
  let digest = await sha256(Uint8Array.of(0), fromHex(leaf.salt), fromHex(userId.replaceAll('-', '')), int64(sum))
  for (const sibling of leaf.path) {
    const other = { digest: fromHex(sibling.digest), sum: toCents(sibling.sum) }
    if (other.sum < 0) return false
    const own = { digest, sum }
    const [left, right] = sibling.side === 'left' ? [other, own] : [own, other]
    digest = await sha256(Uint8Array.of(1), left.digest, int64(left.sum), right.digest, int64(right.sum))
    sum += other.sum
  }
  return toHex(digest) === published.root && sum === toCents(published.total)
}
