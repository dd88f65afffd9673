import { describe, expect, it } from 'vitest'
import { addressRefusal } from './address-check'

describe('an address that is typed', () => {
  it.each([
    ['Bitcoin', 'bc1qwdhkcanpdejjqmr0vdskcgrzw33jut3wqlwyfz'],
    ['Bitcoin', 'BC1QWDHKCANPDEJJQMR0VDSKCGRZW33JUT3WQLWYFZ'],
    ['Bitcoin', 'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0'],
    ['Bitcoin', '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2'],
    ['ERC20', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'],
    ['ERC20', '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed'],
    ['TRC20', 'TVj7RNVHy6thbM7BWdSe9G6gXwKhjhdNZS'],
    ['Solana', 'anything at all'],
  ])('on %s is right: %s [D-W6]', (network, address) => expect(addressRefusal(address, network)).toBeUndefined())

  it.each([
    ['Bitcoin', 'bc1qwdhkcanpdejjqmr0vdskcgrzw33jut3wqlwyfx', 'This address has a typing error'],
    ['Bitcoin', '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN3', 'This address has a typing error'],
    ['ERC20', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD', 'This address has a typing error'],
    ['TRC20', 'TVj7RNVHy6thbM7BWdSe9G6gXwKhjhdNZT', 'This address has a typing error'],
    ['Bitcoin', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', 'This is an Ethereum address, but the network is Bitcoin.'],
    ['TRC20', 'bc1qwdhkcanpdejjqmr0vdskcgrzw33jut3wqlwyfz', 'This is a Bitcoin address, but the network is TRC20.'],
    ['TRC20', 'mywallet@phantom', 'This is not an address of TRC20.'],
  ])('on %s is refused: %s [D-W6]', (network, address, words) => expect(addressRefusal(address, network)).toContain(words))
})
