import { screen, waitFor, within } from '@testing-library/react'
import { http, HttpResponse } from 'msw'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { openAsMember } from '@/testing/render'
import { transaction } from '@/testing/samples'
import { answers, emptyBackOffice, records, refuses, server } from '@/testing/server'

const base = `${window.location.origin}/v1`
const ME = '0193f1c2-7a51-4e0a-9b7a-3d1f2c4b5a60'
/** `psbt` and one byte more. */
const UNSIGNED = btoa('psbt\u00ff')

const until = new Date(Date.now() + 15 * 60_000).toISOString()

function payout(number: number, changes: object = {}) {
  const method = { currency: 'BTC', network: 'Bitcoin', address: '' }
  const fixed = { asset: 'BTC', units: `${number}00565`, decimals: 8, rate: '97362.45', spreadBps: 0, at: until }
  return {
    ...transaction({ status: 'pending', kind: 'withdrawal', title: 'Withdrawal', type: 'debit', amount: 500, netAmount: 487.5, revision: 2 }),
    id: `payout-${number}`, reference: `TNX-00000${number}`, memberId: `member-${number}`, approved: true,
    method, payout: fixed, destination: { address: `bc1q-theirs-${number}` }, ...changes,
  }
}

const waiting = (...rows: object[]) => answers('get', '/admin/queue/transactions', { transactions: rows })

function openPayouts(rows: object[], permissions = ['see', 'pay']) {
  server.use(
    answers('get', '/admin/me', {
      user: { id: ME, name: 'Tess', email: 'tess@solvane.test', role: 'treasurer' },
      totp: { required: true, enrolled: true, passkeys: 0, recoveryCodesLeft: 10 }, stepUpUntil: null, permissions,
    }),
    answers('get', '/admin/transactions/:id', { transaction: rows[0], checks: [], entries: [], blockers: [], candidates: [] }),
    answers('post', '/admin/transactions/:id/viewing', { viewers: [] }),
    waiting(...rows),
  )
  return openAsMember('/admin/payouts', { role: 'treasurer', wallet: null })
}

beforeEach(() => server.use(...emptyBackOffice()))

describe('payouts that are paid together', () => {
  it('are started, downloaded, and sent with the signed file in three presses [D-N5]', async () => {
    const saved: Blob[] = []
    Object.assign(URL, { createObjectURL: (file: Blob) => `blob:${saved.push(file)}`, revokeObjectURL: () => undefined })
    vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => undefined)
    const prepared = records('post', '/admin/payouts/prepare', { psbt: UNSIGNED, feeUnits: '1500', files: [] })
    const sent = records('post', '/admin/payouts/send', { txid: 'ab12', sent: true, message: 'The payouts were sent.' })
    const leased: string[] = []
    server.use(
      http.post(`${base}/admin/transactions/:id/paying`, ({ params }) => {
        leased.push(String(params['id']))
        return HttpResponse.json({ success: true, message: 'Started', revision: 3, until })
      }),
      prepared.handler,
      sent.handler,
    )
    const other = { method: { currency: 'USDT', network: 'TRC20', address: '' } }
    const { user } = openPayouts([payout(1), payout(2, { paying: { by: ME, byName: 'Tess', until } }), payout(3), payout(4, other), payout(5, { paying: { by: 'toni', byName: 'Toni', until } })])
    await user.click(await screen.findByRole('button', { name: 'Pay 3 in BTC on Bitcoin together' }))
    const dialog = await screen.findByRole('dialog', { name: '3 payouts in BTC on Bitcoin' })
    // What is hers already keeps its amount.
    expect(leased).toEqual(['payout-1', 'payout-3'])
    const batch = [{ id: 'payout-1', revision: 3 }, { id: 'payout-2', revision: 2 }, { id: 'payout-3', revision: 3 }]
    expect(prepared.seen[0]?.body).toEqual({ payouts: batch })
    expect(within(dialog).getByText('0.00100565 BTC')).toBeVisible()
    expect(within(dialog).getByText('Network fee: 0.000015 BTC')).toBeVisible()
    await user.click(within(dialog).getByRole('button', { name: 'Download to sign' }))
    expect(saved.map(({ size }) => size)).toEqual([5])
    expect(within(dialog).getByRole('button', { name: 'Send 3 payouts' })).toBeDisabled()
    const file = new File([Uint8Array.from('psbt\u00ffsigned', (char) => char.charCodeAt(0))], 'payouts-signed.psbt')
    await user.upload(within(dialog).getByLabelText(/Signed transaction/), file)
    await waitFor(() => expect(within(dialog).getByRole('button', { name: 'Send 3 payouts' })).toBeEnabled())
    // One is final when the list is read again.
    server.use(waiting(payout(1, { sentAt: until }), payout(2, { sentAt: until })))
    await user.click(within(dialog).getByRole('button', { name: 'Send 3 payouts' }))
    expect(await within(dialog).findByText('Transaction sent')).toBeVisible()
    expect(sent.seen[0]?.body).toEqual({ payouts: batch, psbt: btoa('psbt\u00ffsigned') })
    expect(await within(dialog).findByText('Paid, final on the chain')).toBeVisible()
    expect(within(dialog).getAllByText('Sent, awaiting the network')).toHaveLength(2)
  })

  it('leave out one that would be refused [U8]', async () => {
    const blocked = { transactionId: 'payout-3', revision: 2, at: until, checks: 1, concerns: 0, chainState: 'unobserved', blockers: [{ act: 'pay', code: 'COOLING_OFF', message: 'Later.' }] }
    server.use(answers('get', '/admin/queue/verdicts', { verdicts: [blocked], complete: true }))
    openPayouts([payout(1), payout(2), payout(3)])
    expect(await screen.findByRole('button', { name: 'Pay 2 in BTC on Bitcoin together' })).toBeVisible()
  })

  it('are not sent when the signer changed one, and say what differs [D-N5]', async () => {
    const sentence = 'The signed transaction pays 0.1 BTC to bc1q-theirs-2 instead of 0.00200565 BTC. Nothing was sent.'
    server.use(
      answers('post', '/admin/transactions/:id/paying', { revision: 3, until }),
      answers('post', '/admin/payouts/prepare', { psbt: UNSIGNED, feeUnits: '1500', files: [] }),
      refuses('post', '/admin/payouts/send', 422, { message: sentence, code: 'VALIDATION_FAILED', errors: { psbt: sentence } }),
    )
    const { user } = openPayouts([payout(1), payout(2)])
    await user.click(await screen.findByRole('button', { name: 'Pay 2 in BTC on Bitcoin together' }))
    await user.type(await screen.findByLabelText('Or paste it'), 'changed')
    await user.click(screen.getByRole('button', { name: 'Send 2 payouts' }))
    expect(await screen.findByText(sentence)).toBeVisible()
    expect(screen.queryByText('Sent, awaiting the network')).toBeNull()
  })

  it('are offered as files elsewhere, and recorded as the chain shows them; one that cannot be started is left out [D-N5]', async () => {
    const paid = records('post', '/admin/transactions/:id/paid')
    const usdt = { method: { currency: 'USDT', network: 'ERC20', address: '' } }
    const rows = [payout(1, usdt), payout(2, usdt), payout(3, usdt)]
    const payment = { chain: 'ethereum', txid: 'cd34', index: 7, asset: 'BTC', units: '100565', decimals: 8, state: 'included' }
    const { user } = openPayouts(rows)
    server.use(
      http.post(`${base}/admin/transactions/:id/paying`, ({ params }) =>
        params['id'] === 'payout-3'
          ? HttpResponse.json({ success: false, message: 'Toni is paying this.', code: 'BEING_PAID', requestId: 'test' }, { status: 409 })
          : HttpResponse.json({ success: true, message: 'Started', revision: 3, until }),
      ),
      answers('post', '/admin/payouts/prepare', { files: [{ name: 'payouts-safe.json', contentType: 'application/json', content: '{}' }] }),
      paid.handler,
    )
    await user.click(await screen.findByRole('button', { name: 'Pay 3 in USDT on ERC20 together' }))
    const dialog = await screen.findByRole('dialog', { name: '2 payouts in USDT on ERC20' })
    expect(within(dialog).getByText('Left out: Toni is paying this.')).toBeVisible()
    expect(within(dialog).getByRole('button', { name: 'Download payouts-safe.json' })).toBeVisible()
    server.use(
      http.get(`${base}/admin/transactions/:id`, ({ params }) =>
        HttpResponse.json({
          success: true, checks: [], entries: [], blockers: [], candidates: [],
          transaction: { ...payout(params['id'] === 'payout-1' ? 1 : 2, usdt), revision: 3 },
          evidence: { at: '2026-03-05T14:09:00Z', payments: params['id'] === 'payout-1' ? [payment] : [], checks: [] },
        }),
      ),
    )
    await user.click(within(dialog).getByRole('button', { name: 'Record what the chain shows' }))
    expect(await within(dialog).findByText('1 recorded')).toBeVisible()
    expect(paid.seen.map(({ body }) => body)).toEqual([{ revision: 3, txid: 'cd34', vout: 7, evidenceAt: '2026-03-05T14:09:00Z' }])
  })

  it('that were started are given up, with the reason when that is refused [D-N5]', async () => {
    const mine = { paying: { by: ME, byName: 'Tess', until }, revision: 3 }
    const dissolved = records('post', '/admin/payouts/dissolve', { message: 'The payouts are free for others.' })
    const { user } = openPayouts([payout(1, mine), payout(2, { paying: { by: 'toni', byName: 'Toni', until } })])
    server.use(refuses('post', '/admin/payouts/dissolve', 409, { message: 'A payment to the destination was seen.', code: 'PAYOUT_SEEN' }))
    await user.click(await screen.findByRole('button', { name: 'Give up 1 in BTC on Bitcoin' }))
    expect(await screen.findByText('A payment to the destination was seen.')).toBeVisible()
    server.use(dissolved.handler)
    await user.click(screen.getByRole('button', { name: 'Give up 1 in BTC on Bitcoin' }))
    await waitFor(() => expect(dissolved.seen.map(({ body }) => body)).toEqual([{ payouts: [{ id: 'payout-1', revision: 3 }] }]))
  })

  it('are offered neither one by one, nor to those who may not pay, nor with a memo [D-N5]', async () => {
    const { unmount } = openPayouts([payout(1), payout(2, { destination: { address: 'bc1q', memo: '7' } })])
    expect(await screen.findByText(/TNX-000002/)).toBeVisible()
    expect(screen.queryByRole('button', { name: /together/ })).toBeNull()
    unmount()
    openPayouts([payout(1), payout(2)], ['see'])
    expect(await screen.findByText(/TNX-000002/)).toBeVisible()
    expect(screen.queryByRole('button', { name: /together/ })).toBeNull()
  })
})
