import { screen, waitFor, within } from '@testing-library/react'
import { http, HttpResponse } from 'msw'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { queryClient } from '@/lib/query-client'
import { queryKeys } from '@/lib/query-keys'
import { openAsMember } from '@/testing/render'
import { transaction, usdt } from '@/testing/samples'
import { answers, server } from '@/testing/server'
import { keys, statements } from '@/testing/treasury'

const operator = vi.hoisted(() => ({ treasuryKeys: [] as string[] }))
vi.mock('@/lib/brand', async (actual) => Object.assign(operator, await actual(), { treasuryKeys: operator.treasuryKeys }))

const vector = statements[0] as (typeof statements)[0]
const signed = { ...usdt, ...vector, text: undefined }
const other = 'TEkxiTehnzSmSe2XqrBj4w32RUN966rdz8'

beforeEach(() => {
  operator.treasuryKeys = keys
})

async function choose(method: object) {
  server.use(answers('get', '/payment-methods', { paymentMethods: [method] }))
  const opened = openAsMember('/deposits')
  await opened.user.click(await screen.findByRole('radio', { name: /USDT/ }))
  return opened
}

const expectRefused = async (address: string) => {
  const alert = await screen.findByRole('alert')
  expect(alert).toHaveTextContent('Do not send money to this address')
  expect(within(alert).getByRole('link', { name: /@/ })).toHaveAttribute('href', expect.stringMatching(/^mailto:/))
  expect(document.body.innerHTML).not.toContain(address)
  expect(screen.queryByRole('button', { name: 'Copy address' })).not.toBeInTheDocument()
  expect(screen.queryByRole('img', { name: /QR code/ })).not.toBeInTheDocument()
}

describe('an address of the platform, of an operator with treasury keys [D-M1]', () => {
  it('is shown if the treasury key signed it', async () => {
    await choose(signed)
    expect(await screen.findByText(signed.address)).toBeVisible()
    expect(await screen.findByRole('img', { name: 'QR code of the USDT address' })).toBeInTheDocument()
    expect(screen.queryByText('Do not send money to this address')).not.toBeInTheDocument()
  })

  it.each([
    ['was replaced', { ...signed, address: other }],
    ['has another memo', { ...signed, memo: '1' }],
    ['has the signature of an older version', { ...signed, version: signed.version + 1 }],
    ['has no signature', { ...signed, signature: undefined }],
  ])('is not shown if it %s', async (_, method) => {
    await choose(method)
    await expectRefused(method.address)
  })

  it('disappears when a newer answer has another address', async () => {
    await choose(signed)
    expect(await screen.findByText(signed.address)).toBeVisible()
    server.use(answers('get', '/payment-methods', { paymentMethods: [{ ...signed, address: other }] }))
    await queryClient.invalidateQueries({ queryKey: queryKeys.paymentMethods })
    await expectRefused(other)
  })

  it('is shortened where it is a record', async () => {
    const paid = transaction({ method: { ...signed, id: 'pm-usdt' } })
    server.use(answers('get', '/transactions/:id', { transaction: paid }))
    openAsMember(`/transactions/${paid.id}`)
    expect(await screen.findByText('TR7NHq…Lj6t')).toBeVisible()
    expect(document.body.innerHTML).not.toContain(signed.address)
  })
})

/** The first own address on Tron of the key that payment-method is tested with; no signature is over it. */
const key = 'xpub6D1AabNHCupeiLM65ZR9UStMhJ1vCpyV4XbZdyhMZBiJXALQtmn9p42VTQckoHVn8WNqS7dqnJokZHAHcHGoaQgmv8D45oNUKx6DZMNZBCd'
const own = {
  ...usdt,
  address: 'TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH',
  derivation: { key, path: "m/44'/195'/0'/0/0", index: 0, perDeposit: false },
}

describe('an own address of the member [D-N2]', () => {
  beforeEach(() => {
    operator.treasuryKeys = []
  })

  it('is shown if it follows from the key, and what arrived there with its units and value', async () => {
    const arrived = [{ txid: 'a1', index: 0, asset: 'USDT', units: '195000000', decimals: 6, state: 'included', value: 195 }]
    server.use(answers('get', '/payment-methods', { paymentMethods: [own], arrived }))
    const { user } = openAsMember('/deposits')
    expect(await screen.findByText('A payment of 195 USDT arrived')).toBeVisible()
    expect(screen.getByText(', worth $195.00.')).toBeVisible()
    await user.click(await screen.findByRole('radio', { name: /USDT/ }))
    expect(await screen.findByText(own.address)).toBeVisible()
    expect(screen.getByText(/yours to keep/)).toBeVisible()
  })

  it('makes a deposit of what arrived by one press, and says when one is in review', async () => {
    const payment = { chain: 'tron', txid: 'a1', index: 0, asset: 'USDT', units: '195000000', decimals: 6, state: 'included', value: 195 }
    const without = { ...payment, txid: 'b2', units: '7000000', value: undefined }
    server.use(answers('get', '/payment-methods', { paymentMethods: [own], arrived: [payment, without] }))
    const pending: object[] = []
    server.use(http.get('*/v1/transactions/user', () => HttpResponse.json({ success: true, transactions: pending })))
    const sent: unknown[] = []
    server.use(
      http.post('*/v1/transactions/deposit/arrived', async ({ request }) => {
        sent.push(await request.json())
        pending.push(transaction({ status: 'pending', txid: '0xA1' }))
        return HttpResponse.json({ success: true, message: 'ok' }, { status: 201 })
      }),
    )
    const { user } = openAsMember('/deposits')
    expect(await screen.findByText(/we value it in review/)).toBeVisible()
    await user.click(await screen.findByRole('button', { name: 'Deposit 195 USDT' }))
    expect(await screen.findByText('Your deposit of it is in review.')).toBeVisible()
    expect(sent).toEqual([{ chain: 'tron', txid: 'a1', index: 0 }])
    expect(screen.queryByRole('button', { name: 'Deposit 195 USDT' })).toBeNull()
  })

  it.each([
    ['was replaced', { ...own, address: 'TSeJkUh4Qv67VNFwY8LaAxERygNdy6NQZK' }],
    ['is of another index', { ...own, derivation: { ...own.derivation, index: 1 } }],
    ['is of another key', { ...own, network: 'ERC20' }],
  ])('is not shown if it %s', async (_, method) => {
    await choose(method)
    await expectRefused(method.address)
  })

  it('is not shown if the treasury key did not sign its key, whatever else it signed', async () => {
    operator.treasuryKeys = keys
    await choose({ ...own, version: signed.version, signature: signed.signature })
    await expectRefused(own.address)
  })
})

describe('an address of the platform, in a build without keys', () => {
  it('is shown without signature', async () => {
    operator.treasuryKeys = []
    await choose(usdt)
    await waitFor(() => expect(screen.getByText(usdt.address)).toBeVisible())
  })
})
