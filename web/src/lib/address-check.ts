/** Checksums of addresses, so that a typing error is seen before anything is sent. The server checks again, and decides. */
import { keccak_256 } from '@noble/hashes/sha3.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bech32, bech32m, createBase58check } from '@scure/base'

type Chain = 'Bitcoin' | 'Ethereum' | 'Tron'

/** Names of networks without blanks and hyphens; what is not listed is not checked. */
const names: Record<Chain, RegExp> = {
  Bitcoin: /^(bitcoin|btc|(bitcoin)?(segwit|taproot))/,
  Ethereum: /^(ethereum|eth|erc20|bep20|bsc|bnb|polygon|matic|arbitrum|arb|optimism|op|base|avalanche|avax|linea|fantom|gnosis)/,
  Tron: /^(tron|trc20|trx)/,
}

const chains = Object.keys(names) as Chain[]

export const chainOf = (network: string) => {
  const squashed = network.toLowerCase().replace(/[^a-z0-9]/g, '')
  return chains.find((chain) => names[chain].test(squashed))
}

const base58 = createBase58check(sha256)

function attempt<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

const versionOf = (address: string) => attempt(() => base58.decode(address))?.at(0)

function isSegwit(address: string) {
  const plain = attempt(() => bech32.decode(address as `bc1${string}`))
  const modern = attempt(() => bech32m.decode(address as `bc1${string}`))
  return (plain?.prefix === 'bc' && plain.words[0] === 0) || (modern?.prefix === 'bc' && modern.words[0] === 1)
}

function isEvm(address: string) {
  const digits = address.slice(2)
  const small = digits.toLowerCase()
  if (digits === small || digits === digits.toUpperCase()) return true
  const hash = keccak_256(new TextEncoder().encode(small))
  return [...digits].every((digit, index) => {
    if (!/[a-f]/i.test(digit)) return true
    const pair = hash[index >> 1] ?? 0
    return (digit !== digit.toLowerCase()) === ((index % 2 === 0 ? pair >> 4 : pair & 15) >= 8)
  })
}

/** Whose address this looks like, whether it has a typing error or not. */
function looksLike(address: string): Chain | undefined {
  if (/^0x[0-9a-f]{40}$/i.test(address)) return 'Ethereum'
  if (/^bc1[0-9a-z]{20,87}$/i.test(address) || /^[13][1-9A-HJ-NP-Za-km-z]{25,34}$/.test(address)) return 'Bitcoin'
  return /^T[1-9A-HJ-NP-Za-km-z]{33}$/.test(address) ? 'Tron' : undefined
}

const isValid: Record<Chain, (address: string) => boolean> = {
  Bitcoin: (address) => isSegwit(address) || [0, 5].includes(versionOf(address) ?? -1),
  Ethereum: isEvm,
  Tron: (address) => versionOf(address) === 0x41,
}

/** What is wrong with an address for a network, or `undefined`: nothing, or nothing that can be known here. */
export function addressRefusal(address: string, network: string): string | undefined {
  const chain = chainOf(network)
  if (!chain || address.length < 10) return undefined
  const found = looksLike(address)
  if (found && found !== chain) return `This is ${found === 'Ethereum' ? 'an' : 'a'} ${found} address, but the network is ${network}.`
  if (!found) return `This is not an address of ${network}. Copy it again from your wallet.`
  return isValid[chain](address) ? undefined : 'This address has a typing error. Copy it again from your wallet.'
}
