import { describe, expect, it } from 'vitest'
import { codeIn, emailIn, factorCodeIn, phoneIn } from './pasted'
import { addressIn, hashIn } from './pasted-payment'
import { email } from './rules'

const address = 'bc1qwdhkcanpdejjqmr0vdskcgrzw33jut3wqlwyfz'
const account = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const tron = 'TVj7RNVHy6thbM7BWdSe9G6gXwKhjhdNZS'
const hash = 'a1b2c3d4'.repeat(8)

describe('what people paste', () => {
  it.each([' 123456', '123 456', '123\u00a0456', '123-456', '123\u2013456', '\t123456\n', 'Your code is 123456', '\u200b123456', '１２３４５６', '123456 is your code, valid for 10 minutes'])(
    'has the six digits of a code: %j [AUTH-11]',
    (text) => expect(codeIn(text)).toBe('123456'),
  )

  it.each([
    [`bitcoin:${address}?amount=0.01&label=Me`, address],
    [`BITCOIN:${address.toUpperCase()}?AMOUNT=1`, address.toUpperCase()],
    [`ethereum:${account}@1?value=1e18`, account],
    [`ethereum:pay-${account}`, account],
    [`ethereum:0xdAC17F958D2ee523a2206206994597C13D831ec7@1/transfer?address=${account}&uint256=1`, account],
    [`tron:${tron}`, tron],
    [`https://tronscan.org/#/address/${tron}`, tron],
    [`https://etherscan.io/address/${account}?a=1`, account],
    [`https://www.blockchain.com/explorer/addresses/btc/${address}`, address],
    [`https://etherscan.io/token/${account}`, `https://etherscan.io/token/${account}`],
    [`${address.slice(0, 9)}\n${address.slice(9)}\u200b `, address],
    ['  mywallet@phantom', 'mywallet@phantom'],
  ])('has an address: %j [WDR-03]', (text, found) => expect(addressIn(text)).toBe(found))

  it.each([`https://mempool.space/tx/${hash}`, `${hash}/`, `#${hash}`, `${hash},`, `txid:${hash}`, ` ${hash}\u200b`, `"${hash}"`, `${hash}:0`])(
    'has a hash: %s [D-N1]',
    (text) => expect(hashIn(text)).toBe(hash),
  )

  it('leaves a hash that is not of 64 digits as it is, and one of two [D-N1]', () => {
    for (const text of [hash.slice(1), `${hash},${hash.replace('a', 'b')}`]) expect(hashIn(text)).toBe(text)
    expect(hashIn(`0x${hash}`)).toBe(`0x${hash}`)
  })

  it.each([
    ['\u202a+1 555 010 9999\u202c', '+1 555 010 9999'],
    ['06.12.34.56.78', '06 12 34 56 78'],
    ['+46\u00a070\u2011123\u201345', '+46 70-123-45'],
    ['tel:+46701234567', '+46701234567'],
    ['٠١٢٣ ４５６', '0123 456'],
  ])('has a phone number: %j [D-S7]', (text, found) => expect(phoneIn(text)).toBe(found))

  it.each([
    ['Amara <amara@example.com>', 'amara@example.com'],
    ['mailto:amara@example.com', 'amara@example.com'],
    ['\u200eamara@example.com\u00a0', 'amara@example.com'],
  ])('has an email: %j [AUTH-01]', (text, found) => expect(emailIn(text)).toBe(found))

  it('takes a long dash of a recovery code for a hyphen [D-A3]', () => expect(factorCodeIn(' abcd\u2013efgh ')).toBe('abcd-efgh'))
})

describe('the shape of an email', () => {
  it.each(['ivan@xn--80a1acny.xn--p1ai', 'wei@公司.中国', 'o&m@example.com', 'a/b@example.com', "o'brien@example.co.uk"])(
    'is right: %s; the server decides [AUTH-01]',
    (text) => expect(email.validate(text)).toBe(true),
  )

  it.each(['', 'plain', 'a@b', 'a b@c.de', '@c.de', 'a@@c.de', 'a@c..de', 'a@.de'])('is wrong: %j [AUTH-01]', (text) =>
    expect(email.validate(text)).toBe('Invalid email address'),
  )
})
