/**
 * Derives the own address of a member again from the extended public key that the treasury key signed [D-N2], so that a changed
 * database or service cannot show another one. `services/payment-method/src/domain/deposit_key.rs` derives the same.
 */
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { ripemd160 } from '@noble/hashes/legacy.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bech32, createBase58check, hex } from '@scure/base'
import { HDKey } from '@scure/bip32'
import { chainOf } from './address-check'

/** An account is the third step of a path. */
const ACCOUNT_DEPTH = 3
/** The first bytes of the public key of a BIP-84 account as wallets write it (SLIP-132). */
const SEGWIT = { private: 0x04b2430c, public: 0x04b24746 }
const DESCRIPTOR = /^wpkh\((?:\[[^\]]*\])?(xpub\w+)\/0\/\*\)(?:#\w{8})?$/

const base58 = createBase58check(sha256)

/** The address of an index; throws for a key that is not of an account. */
export function derivedAddress(network: string, key: string, index: number): string {
  const chain = chainOf(network)
  const text = chain === 'Bitcoin' ? (DESCRIPTOR.exec(key)?.[1] ?? key) : key
  const isSegwit = chain === 'Bitcoin' && text.startsWith('zpub')
  const account = HDKey.fromExtendedKey(text, isSegwit ? SEGWIT : undefined)
  const { publicKey } = account.deriveChild(0).deriveChild(index)
  if (account.depth !== ACCOUNT_DEPTH || !publicKey) throw new Error('not the key of an account')
  if (chain === 'Bitcoin') return bech32.encode('bc', [0, ...bech32.toWords(ripemd160(sha256(publicKey)))])
  const point = secp256k1.Point.fromBytes(publicKey).toBytes(false)
  const bytes = keccak_256(point.subarray(1)).subarray(-20)
  if (chain === 'Tron') return base58.encode(Uint8Array.of(0x41, ...bytes))
  if (chain === 'Ethereum') return `0x${hex.encode(bytes)}`
  throw new Error('a network without derived addresses')
}

/** Whether an address is the one of an index. The case of an Ethereum address is a checksum, and says nothing else. */
export function isDerived(network: string, key: string, index: number, address: string): boolean {
  try {
    const derived = derivedAddress(network, key, index)
    return derived === address || (derived.startsWith('0x') && derived === address.toLowerCase())
  } catch {
    return false
  }
}
