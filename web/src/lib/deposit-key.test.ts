import { HDKey } from '@scure/bip32'
import { describe, expect, it } from 'vitest'
import { derivedAddress, isDerived } from './deposit-key'

type Vectors = { keys: { network: string; key: string; addresses: [number, string, string][] }[] }

/** The keys and addresses that payment-method is tested with, too. */
const files = import.meta.glob<Vectors>('../../../services/payment-method/tests/deposit-keys.json', { import: 'default', eager: true })
const { keys } = Object.values(files)[0] as Vectors
const [bitcoin] = keys as [Vectors['keys'][0]]
const tron = keys.find(({ network }) => network === 'TRC20') as Vectors['keys'][0]

describe('an own deposit address [D-N2]', () => {
  it.each(keys)('is that of BIP-84 and BIP-44, as in the service: $network $key', ({ network, key, addresses }) => {
    for (const [index, , address] of addresses) expect(isDerived(network, key, index, address)).toBe(true)
    expect(addresses).toHaveLength(4)
  })

  it('follows from the key by the steps of BIP-32', () => {
    // The chain m/0 of the second test vector of BIP-32.
    const master = 'xpub661MyMwAqRbcFW31YEwpkMuc5THy2PSt5bDMsktWQcFF8syAmRUapSCGu8ED9W6oDMSgv6Zz8idoc4a6mr8BDzTJY47LJhkJ8UB7WEGuduB'
    const child = 'xpub69H7F5d8KSRgmmdJg2KhpAK8SR3DjMwAdkxj3ZuxV27CprR9LgpeyGmXUbC6wb7ERfvrnKZjXoUmmDznezpbZb7ap6r1D3tgFxHmwMkQTPH'
    expect(HDKey.fromExtendedKey(master).deriveChild(0).publicExtendedKey).toBe(child)
    // It is no key of an account.
    expect(() => derivedAddress('Bitcoin', master, 0)).toThrow()
  })

  it.each([
    ['another address', 'TRC20', tron.key, 0, tron.addresses[1]?.[2]],
    ['another index', 'TRC20', tron.key, 1, tron.addresses[0]?.[2]],
    ['the key of another network', 'TRC20', bitcoin.key, 0, tron.addresses[0]?.[2]],
    ['a key with a typing error', 'TRC20', `${tron.key.slice(0, -1)}1`, 0, tron.addresses[0]?.[2]],
    ['another network', 'Litecoin', bitcoin.key, 0, bitcoin.addresses[0]?.[2]],
    ['other letters', 'Bitcoin', bitcoin.key, 0, bitcoin.addresses[0]?.[2].toUpperCase()],
    ['a descriptor of change', 'Bitcoin', 'wpkh(xpub6CatWdiZiodmUeTDp8LT5or8nmbKNcuyvz7WyksVFkKB4RHwCD3XyuvPEbvqAQY3rAPshWcMLoP2fMFMKHPJ4ZeZXYVUhLv1VMrjPC7PW6V/1/*)', 0, bitcoin.addresses[0]?.[2]],
    ['an index that is none', 'TRC20', tron.key, -1, tron.addresses[0]?.[2]],
  ])('is refused with %s', (_, network, key, index, address) => {
    expect(isDerived(network, key, index, address ?? '')).toBe(false)
  })
})
