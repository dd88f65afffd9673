import { describe, expect, it } from 'vitest'
import { paymentUri } from './payment-uri'

describe('the payment in a QR code', () => {
  it('is a BIP-21 or EIP-681 address with the exact amount, or the plain address; never a contract [D-Q1]', () => {
    const payment = { address: 'A', units: '513809', decimals: 8 }
    expect(paymentUri({ ...payment, asset: 'BTC' })).toBe('bitcoin:A?amount=0.00513809')
    expect(paymentUri({ ...payment, asset: 'ETH' })).toBe('ethereum:A@1?value=513809')
    expect(paymentUri({ ...payment, asset: 'USDT' })).toBe('A')
  })
})
