import { describe, expect, it } from 'vitest'
import { keys, statements } from '@/testing/treasury'
import { isSigned, statementMoment, statementOf } from './treasury'

const [first, second, third] = statements as [(typeof statements)[0], (typeof statements)[0], (typeof statements)[0]]
const [key, nextKey] = keys as [string, string]
const validFrom = (signature: string) => signature.split('.')[0] ?? ''
const at = Date.parse(validFrom(first.signature))

describe('the signature of a platform address [D-M1]', () => {
  it.each(statements)('is over the same bytes as in the service, and holds: $currency on $network', async (vector) => {
    expect(statementOf(vector, validFrom(vector.signature))).toBe(vector.text)
    expect(await isSigned(vector, keys, Date.parse(validFrom(vector.signature)))).toBe(true)
  })

  it.each([
    ['another currency', { currency: 'USDC' }],
    ['another network', { network: 'ERC20' }],
    ['a replaced address', { address: 'TEkxiTehnzSmSe2XqrBj4w32RUN966rdz8' }],
    ['another memo', { memo: '1' }],
    ['a newer version', { version: first.version + 1 }],
    ['an older version', { version: first.version - 1 }],
    ['another time', { signature: first.signature.replace('2025-', '2024-') }],
    ['a signature of another address', { signature: second.signature }],
    ['a signature of another form', { signature: first.signature.replace('Z.', 'Z..') }],
    ['a cut signature', { signature: first.signature.slice(0, -1) }],
    ['no signature', { signature: undefined }],
    ['fields on other lines', { network: 'TRC20\naddress=TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', address: '' }],
  ])('does not hold for %s', async (_, change) => {
    expect(await isSigned({ ...first, ...change }, keys, at)).toBe(false)
  })

  it('holds for any of several keys, and for no other key', async () => {
    expect(await isSigned(first, [key], at)).toBe(true)
    expect(await isSigned(first, [nextKey], at)).toBe(false)
    expect(await isSigned(first, ['nonsense', key], at)).toBe(true)
    expect(await isSigned(first, ['nonsense'], at)).toBe(false)
    expect(await isSigned(first, [], at)).toBe(false)
    expect(await isSigned(third, [nextKey], Date.parse(validFrom(third.signature)))).toBe(true)
  })

  it('holds from its time on, with a day for clocks that are late', async () => {
    const hour = 3_600_000
    expect(await isSigned(first, keys, at - 23 * hour)).toBe(true)
    expect(await isSigned(first, keys, at - 25 * hour)).toBe(false)
    expect(await isSigned(first, keys, at + 10_000 * hour)).toBe(true)
  })

  it('does not hold where the browser cannot verify it', async () => {
    const { subtle } = crypto
    Object.defineProperty(crypto, 'subtle', { value: undefined, configurable: true })
    try {
      expect(await isSigned(first, keys, at)).toBe(false)
    } finally {
      Object.defineProperty(crypto, 'subtle', { value: subtle, configurable: true })
    }
  })

  it('writes times in whole seconds', () => {
    expect(statementMoment(new Date('2026-11-23T16:00:00.987Z'))).toBe('2026-11-23T16:00:00Z')
  })
})
