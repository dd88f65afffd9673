import { screen, waitFor } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { openAsMember } from '@/testing/render'
import { own, proof, step, transaction, usdt } from '@/testing/samples'
import { answers, records, refuses, server } from '@/testing/server'

describe('the open withdrawal', () => {
  const open = transaction({
    id: 'c1a9e0d4-5d2e-4b8a-8f0e-111111111111', title: 'Withdrawal', type: 'debit', status: 'pending', amount: 1500,
    fee: 37.5, netAmount: 1462.5, feePaid: false,
  })
  const openDetails = (changes = {}, more: (typeof open)[] = []) => {
    server.use(
      answers('get', '/transactions/user', { transactions: [{ ...open, ...changes }, ...more] }),
      answers('get', '/payment-methods', { paymentMethods: [usdt, own] }),
    )
    return openAsMember(`/transactions/${open.id}`)
  }

  it('offers no payment of the fee that would be refused, once the withdrawal is approved [D-W4]', async () => {
    openDetails({ steps: [step('requested', { state: 'done' }), step('reviewed', { state: 'done' }), step('sent', { state: 'current' })] })
    expect(await screen.findByText(/There is nothing you need to pay: the fee of \$37\.50 is deducted/)).toBeVisible()
    expect(screen.queryByRole('button', { name: 'Pay the fee separately' })).toBeNull()
  })

  it('offers to pay the fee separately, and never demands it [D-W4] [API-10]', async () => {
    const fee = records('post', `/transactions/fee/${open.id}`, {}, 201)
    server.use(fee.handler)
    const { user } = openDetails()
    expect(await screen.findByText(/There is nothing you need to pay: the fee of \$37\.50 is deducted from the payout and you receive \$1,462\.50/)).toBeVisible()
    await user.click(screen.getByRole('button', { name: 'Pay the fee separately' }))
    await user.click(await screen.findByRole('button', { name: 'I have made payment' }))
    expect(await screen.findByText('Please fill in all required fields')).toBeVisible()
    await user.click(await screen.findByRole('radio', { name: /USDT/ }))
    await user.upload(screen.getByLabelText('Proof of payment'), proof())
    await user.click(screen.getByRole('button', { name: 'I have made payment' }))
    await waitFor(() => expect(fee.seen).toHaveLength(1))
    expect(fee.seen[0]?.body).toEqual({
      transactionId: open.id, amount: 37.5, method: 'pm-usdt', methodVersion: 1, receipt: expect.stringMatching(/^data:/) as unknown,
    })
  })

  it('says that a fee payment is in review, or done [D-W4]', async () => {
    const feeRow = transaction({ title: 'Fee', type: 'debit', status: 'pending', relatedId: open.id })
    const { unmount } = openDetails({}, [feeRow])
    expect(await screen.findByText('Your fee payment is in review')).toBeVisible()
    unmount()
    openDetails({ feePaid: true })
    expect(await screen.findByText('You receive the full $1,500.00.')).toBeVisible()
  })

  it('says from when on it can be approved after a change of the account [D-A5]', async () => {
    const { unmount } = openDetails({ steps: [step('requested', { state: 'done' }), step('waiting', { expectedBy: '2026-03-05T14:07:00Z', note: 'Payouts wait because your password was changed.' })] })
    expect(await screen.findByText(/^Your payout can be approved from March 5, 2026/)).toBeVisible()
    expect(screen.getByText(/because your password was changed/)).toBeVisible()
    unmount()
    openDetails({})
    expect(await screen.findByText('Withdrawal')).toBeVisible()
    await waitFor(() => expect(screen.queryByText(/^Your payout can be approved/)).not.toBeInTheDocument())
  })

  it('asks for the code of a new address, shows a wrong one at the field, and sends another [D-A4] [D-L7]', async () => {
    const wrong = 'This code is wrong or has expired'
    const resend = records('post', `/transactions/${open.id}/confirm/resend`, { message: 'We have sent you a new code.' })
    server.use(resend.handler, refuses('post', `/transactions/${open.id}/confirm`, 422, { message: wrong, code: 'INVALID_CODE', errors: { code: wrong } }))
    const { user } = openDetails({ needsConfirmation: true, destination: { address: own.address, memo: '77' } })
    expect(await screen.findByText('Confirm the address')).toBeVisible()
    expect(screen.getAllByText(own.address.slice(0, 4))[0]?.parentElement).toHaveTextContent(own.address)
    expect(screen.getByText('Memo: 77')).toBeVisible()
    const confirm = screen.getByRole('button', { name: 'Confirm address' })
    await user.type(screen.getByLabelText('6-digit code'), '12345')
    await user.click(confirm)
    expect(await screen.findByText('The code has 6 digits')).toBeVisible()
    await user.type(screen.getByLabelText('6-digit code'), '6')
    await user.click(confirm)
    expect(await screen.findByText(wrong)).toBeVisible()
    expect(screen.getAllByText(wrong)).toHaveLength(1)
    expect(screen.getByLabelText('6-digit code')).toHaveFocus()
    await user.click(screen.getByRole('button', { name: 'Send another code' }))
    expect(await screen.findByText('We have sent you a new code.')).toBeVisible()
    expect(resend.seen).toHaveLength(1)
    const right = records('post', `/transactions/${open.id}/confirm`, { message: 'The address is confirmed.' })
    server.use(right.handler, answers('get', '/transactions/user', { transactions: [open] }))
    await user.click(confirm)
    await waitFor(() => expect(screen.queryByText('Confirm the address')).not.toBeInTheDocument())
    expect(right.seen[0]?.body).toEqual({ code: '123456' })
  })

  it('takes a missing destination once [D-W1] [D-R14]', async () => {
    const destination = records('put', `/transactions/${open.id}/destination`)
    server.use(destination.handler)
    const { user } = openDetails({ needsDestination: true })
    await user.type(await screen.findByLabelText('Wallet address'), own.address)
    await user.click(screen.getByRole('button', { name: 'Save address' }))
    await waitFor(() => expect(destination.seen[0]?.body).toEqual({ address: own.address }))
  })
})
