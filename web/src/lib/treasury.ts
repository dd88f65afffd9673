/**
 * Verifies that the treasury key signed an address of the platform [D-M1]. The key is kept offline and its public key is
 * part of the build, so that a changed database or service cannot make members pay to another address.
 */
import type { PaymentMethod } from './api-types'

type Version = Pick<PaymentMethod, 'currency' | 'network' | 'address' | 'version'> & { memo?: string | null }

export type SignedVersion = Version & Pick<PaymentMethod, 'signature'>

/**
 * What is signed. `services/payment-method/src/domain/statement.rs` writes the same bytes. Signed fields have no line
 * breaks, so fields that have some never give a signed text.
 */
export const statementOf = ({ currency, network, address, memo, version }: Version, validFrom: string) =>
  [
    'Solvane platform address',
    `currency=${currency}`,
    `network=${network}`,
    `address=${address}`,
    `memo=${memo ?? ''}`,
    `version=${version}`,
    `valid-from=${validFrom}`,
    '',
  ].join('\n')

/** A moment as statements have it: whole seconds, UTC. */
export const statementMoment = (at: Date) => at.toISOString().replace(/\.\d+/, '')

const SIGNATURE = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z)\.([\w-]{86})$/

/** The clock of a member's device may be late; the service grants the same. */
const CLOCK_TOLERANCE_MS = 24 * 3_600_000

/** Whether one of the keys signed this version of the address, valid by now. */
export async function isSigned(method: SignedVersion, keys: readonly string[], now: number): Promise<boolean> {
  const [, validFrom, signature] = SIGNATURE.exec(method.signature ?? '') ?? []
  if (!validFrom || !signature || !(Date.parse(validFrom) <= now + CLOCK_TOLERANCE_MS)) return false
  const statement = new TextEncoder().encode(statementOf(method, validFrom))
  const verdicts = keys.map((key) => verify(key, bytesOf(signature), statement).catch(() => false))
  return (await Promise.all(verdicts)).includes(true)
}

async function verify(key: string, signature: Uint8Array<ArrayBuffer>, statement: Uint8Array<ArrayBuffer>) {
  const curve = { name: 'ECDSA', namedCurve: 'P-256' }
  const publicKey = await crypto.subtle.importKey('raw', bytesOf(key), curve, false, ['verify'])
  return crypto.subtle.verify({ name: 'ECDSA', hash: 'SHA-256' }, publicKey, signature, statement)
}

const bytesOf = (base64url: string) =>
  Uint8Array.from(atob(base64url.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0))
