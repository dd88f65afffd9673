import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, it } from 'vitest'
import { backOffice, openAsStaff } from '@/testing/back-office'
import { usdt } from '@/testing/samples'
import { answers, records, refuses, server } from '@/testing/server'

beforeEach(() => server.use(...backOffice()))

describe('the proof of an address [D-T5]', () => {
  it('is entered by a treasurer with its message, or refused there, and its day is shown', async () => {
    const wrong = { message: 'Check the signature', errors: { signature: 'The key of this address did not sign this message' } }
    server.use(
      answers('get', '/admin/payment-methods', { paymentMethods: [{ current: usdt, active: true, proven: '2026-11-28', versions: [usdt] }] }),
      refuses('post', '/admin/payment-methods/:id/proof', 422, wrong),
    )
    const { user } = openAsStaff('/admin/payment-methods', 'see', 'changeMethods')
    expect(await screen.findByText('Proved Nov 28, 2026')).toBeVisible()
    await user.click(screen.getByRole('button', { name: 'Attach a proof' }))
    const dialog = within(screen.getByRole('dialog', { name: 'Prove the address of USDT on TRC20' }))
    await user.click(dialog.getByRole('button', { name: 'Attach' }))
    expect(await dialog.findAllByText('This is required')).toHaveLength(2)
    await user.type(dialog.getByLabelText('Message'), ' Solvane Ltd controls the address T on 2026-11-28 ')
    await user.type(dialog.getByLabelText('Signature'), '0xfde0')
    await user.click(dialog.getByRole('button', { name: 'Attach' }))
    expect(await dialog.findByText('The key of this address did not sign this message')).toBeVisible()
    const attached = records('post', '/admin/payment-methods/:id/proof')
    server.use(attached.handler)
    await user.click(dialog.getByRole('button', { name: 'Attach' }))
    await waitFor(() => expect(attached.seen[0]?.body).toEqual({ message: 'Solvane Ltd controls the address T on 2026-11-28', signature: '0xfde0' }))
  })
})

describe('the signature of a platform method [D-M1]', () => {
  const method = (changes: object = {}) => {
    const current = { ...usdt, version: 2, ...changes }
    return answers('get', '/admin/payment-methods', { paymentMethods: [{ current, active: true, versions: [current] }] })
  }

  it('is missing, and a treasurer attaches it to the version in force', async () => {
    const attached = records('post', '/admin/payment-methods/:id/signature')
    server.use(method(), attached.handler)
    const { user } = openAsStaff('/admin/payment-methods', 'see', 'changeMethods')
    expect(await screen.findByText('Unsigned')).toBeVisible()
    await user.click(screen.getByRole('button', { name: 'Attach a signature' }))
    const dialog = within(screen.getByRole('dialog', { name: 'Sign USDT on TRC20' }))
    expect(dialog.getByRole('button', { name: 'Download the statement of version 2' })).toBeEnabled()
    await user.click(dialog.getByRole('button', { name: 'Attach' }))
    expect(await dialog.findByText('This is required')).toBeVisible()
    await user.type(dialog.getByLabelText('Signature'), ' 2026-11-23T16:00:00Z.abc ')
    await user.click(dialog.getByRole('button', { name: 'Attach' }))
    await waitFor(() => expect(attached.seen[0]?.body).toEqual({ version: 2, signature: '2026-11-23T16:00:00Z.abc' }))
    expect(attached.seen[0]?.path).toBe('/v1/admin/payment-methods/pm-usdt/signature')
  })

  it('is entered with the proposal of the next version, or refused there', async () => {
    const saved: Blob[] = []
    Object.assign(URL, { createObjectURL: (blob: Blob) => `blob:${saved.push(blob)}`, revokeObjectURL: () => undefined })
    const wrong = { message: 'Check the signature', errors: { signature: 'The signature does not belong to this address' } }
    server.use(method({ signature: '2026-11-23T16:00:00Z.abc' }), refuses('put', '/admin/payment-methods/:id', 422, wrong))
    const { user } = openAsStaff('/admin/payment-methods', 'see', 'changeMethods')
    // This build has no key to verify it with.
    expect(await screen.findByText('Signature not verified')).toBeVisible()
    await user.click(screen.getByRole('button', { name: 'Propose a change' }))
    const dialog = within(screen.getByRole('dialog', { name: 'Change USDT on TRC20' }))
    await user.clear(dialog.getByLabelText('Address'))
    expect(dialog.getByRole('button', { name: /^Download the statement/ })).toBeDisabled()
    await user.type(dialog.getByLabelText('Address'), ' TNEW ')
    await user.click(dialog.getByRole('button', { name: 'Download the statement of version 3' }))
    expect(await saved[0]?.text()).toMatch(
      /^Solvane platform address\ncurrency=USDT\nnetwork=TRC20\naddress=TNEW\nmemo=\nversion=3\nvalid-from=[\d-]+T[\d:]+Z\n$/,
    )
    await user.type(dialog.getByLabelText(/^Signature/), 'x')
    await user.click(dialog.getByRole('button', { name: 'Propose' }))
    expect(await dialog.findByText('The signature does not belong to this address')).toBeVisible()
    const proposed = records('put', '/admin/payment-methods/:id', {}, 201)
    server.use(proposed.handler)
    await user.click(dialog.getByRole('button', { name: 'Propose' }))
    await waitFor(() =>
      expect(proposed.seen[0]?.body).toEqual({ currency: 'USDT', network: 'TRC20', address: 'TNEW', memo: '', label: '', signature: 'x' }),
    )
  })

  it('is attached by treasurers alone [D-O1]', async () => {
    server.use(method())
    openAsStaff('/admin/payment-methods', 'see')
    expect(await screen.findByText('Unsigned')).toBeVisible()
    expect(screen.queryByRole('button', { name: 'Attach a signature' })).toBeNull()
  })
})

describe('a published rate [D-Q2] [D-R17]', () => {
  it('is proposed by treasurers, as typed, and refused at its fields', async () => {
    server.use(
      answers('get', '/admin/payment-methods', { paymentMethods: [] }),
      refuses('post', '/admin/rates', 422, { message: 'Check the ask', errors: { ask: 'The ask must not be below the bid' } }),
    )
    const { user } = openAsStaff('/admin/payment-methods', 'see', 'publishRates')
    await user.click(await screen.findByRole('button', { name: 'Publish a rate' }))
    const dialog = within(screen.getByRole('dialog', { name: 'Publish a rate' }))
    await user.click(dialog.getByRole('button', { name: 'Propose' }))
    expect(await dialog.findAllByText('This is required')).toHaveLength(4)
    await user.type(dialog.getByLabelText('Currency'), ' btc ')
    await user.type(dialog.getByLabelText('Bid in dollars'), '97312.45')
    await user.type(dialog.getByLabelText('Ask in dollars'), '9')
    await user.type(dialog.getByLabelText('Source'), 'Kraken at noon')
    await user.click(dialog.getByRole('button', { name: 'Propose' }))
    expect(await dialog.findByText('The ask must not be below the bid')).toBeVisible()
    const proposed = records('post', '/admin/rates', {}, 201)
    server.use(proposed.handler)
    await user.type(dialog.getByLabelText('Ask in dollars'), '7315.1')
    await user.click(dialog.getByRole('button', { name: 'Propose' }))
    await waitFor(() =>
      expect(proposed.seen[0]?.body).toEqual({ asset: 'BTC', bid: '97312.45', ask: '97315.1', source: 'Kraken at noon', validMinutes: 60 }),
    )
  })

  it('is proposed by nobody else [D-O1]', async () => {
    server.use(answers('get', '/admin/payment-methods', { paymentMethods: [] }))
    openAsStaff('/admin/payment-methods', 'see', 'changeMethods')
    expect(await screen.findByRole('button', { name: 'Propose a method' })).toBeVisible()
    expect(screen.queryByRole('button', { name: 'Publish a rate' })).toBeNull()
  })
})
