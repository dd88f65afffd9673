/** Presses and seconds of the acts of staff, and what they see before they press. */
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { sha256 } from '@noble/hashes/sha2.js'
import type { Locator, Page } from '@playwright/test'
import { createBase58check } from '@scure/base'
import { passes } from './support/accessible'
import { counting } from './support/counting'
import { deposit, type Made, receipt, withdrawal } from './support/office'
import { asStaff, fund, hash, platformMethod, registered, staffSignedIn } from './support/stack'
import { expect, test } from './support/test'

const base58check = createBase58check(sha256)

/** An address of Tron that nothing else is paid to. */
const tronAddress = () => base58check.encode(Uint8Array.from([0x41, ...randomBytes(20)]))

test('a reference is found from anywhere by one shortcut, and a member by name, email, phone and amount [R9]', async ({ page }, info) => {
  const member = await registered()
  await fund(member, 500)
  const made = await deposit(member, 231.07)
  await staffSignedIn(page, 'reviewer')
  await page.goto('/admin/plans')
  await expect(page.getByRole('heading', { level: 1, name: 'Plans and values' })).toBeVisible()
  const act = counting(page, info, 'find TNX-… from anywhere')
  await act.key('Control+k')
  const box = page.getByRole('combobox', { name: 'Search' })
  await expect(box).toBeFocused()
  // Before the answer: what is opened is what this text finds.
  await page.keyboard.insertText(made.reference)
  await act.key('Enter')
  await expect(page.getByRole('heading', { level: 1, name: made.reference })).toBeVisible()
  act.end(2)
  for (const text of [member.email.toUpperCase(), member.id]) {
    await page.keyboard.press('Control+k')
    await page.keyboard.insertText(text)
    await expect(page.getByRole('option').filter({ hasText: member.email })).toBeVisible()
    if (text === member.id) await passes(page, 'the search')
    await page.keyboard.press('Escape')
  }
  await page.keyboard.press('Control+k')
  await page.keyboard.insertText('$231.07')
  await expect(page.getByRole('option').filter({ hasText: made.reference })).toBeVisible()
})

test('a decision that would be refused is not offered, and the sentence says why [U8] [D-W4]', async ({ page }, info) => {
  const member = await registered()
  await fund(member, 500)
  const made = await withdrawal(member, 60)
  const { transaction } = await member.api<{ transaction: { fee: number } }>('GET', `/transactions/${made.id}`)
  await member.api('POST', `/transactions/fee/${made.id}`, { transactionId: made.id, amount: transaction.fee, method: await platformMethod(member), receipt })
  await staffSignedIn(page, 'reviewer')
  await page.goto(`/admin/review/${made.id}`)
  const act = counting(page, info, 'refusal after the press that the server knew')
  await expect(page.getByText('It cannot be approved yet')).toBeVisible()
  await expect(page.getByText('A payment of the fee for this withdrawal is in review.')).toBeVisible()
  await expect(page.getByRole('button', { name: /^Approve/ })).toBeDisabled()
  // The key of the button does no more than the button.
  await act.key('a')
  await act.key('Enter')
  await expect(page.getByText('It cannot be approved yet')).toBeVisible()
  act.end(2)
  await page.goto('/admin?view=blocked')
  await expect(page.getByRole('main').getByRole('listitem').filter({ hasText: made.reference })).toContainText('Blocked')
})

test('the queue is filtered in the address, claimed by a key, and read beside the list on a wide screen [R9]', async ({ page }) => {
  const member = await registered()
  const made = await deposit(member, 175)
  await staffSignedIn(page, 'reviewer')
  await page.goto('/admin')
  const row = page.getByRole('main').getByRole('listitem').filter({ hasText: made.reference })
  await expect(row).toContainText('of 4 h')
  await expect(row).toContainText(/check/)
  await row.getByRole('link').focus()
  await page.goto(`/admin?kind=deposit&view=attention`)
  await expect(page.getByRole('radio', { name: 'Needs attention' })).toBeChecked()
  await expect(page.getByRole('main').getByRole('listitem').first()).toBeVisible()
  await page.keyboard.press('j')
  await page.keyboard.press('c')
  await expect(page.getByText('Claimed by you').first()).toBeVisible()
  await page.getByText('Mine', { exact: true }).click()
  await expect(page).toHaveURL(/view=mine/)
  await expect(page.getByRole('main').getByRole('listitem')).toHaveCount(1)
  await page.getByRole('main').getByRole('listitem').first().getByRole('link').click()
  await expect(page).toHaveURL(/\/admin\/review\/[^?]+\?kind=deposit&view=mine$/)
  await expect(page.getByText('1 of 1')).toBeVisible()
  await expect(page.getByText('Claimed by you')).toBeVisible()
  await page.keyboard.press('q')
  await expect(page).toHaveURL(/\/admin\?kind=deposit&view=mine$/)

  await page.setViewportSize({ width: 1920, height: 1080 })
  await page.goto('/admin?kind=deposit')
  await row.getByRole('link').click()
  const pane = page.getByRole('region', { name: made.reference })
  await expect(pane.getByRole('heading', { name: 'Your decision' })).toBeVisible()
  await expect(pane.getByLabel('Checklist')).toBeInViewport()
  await expect(row).toBeVisible()
  await passes(page, 'the queue with a transaction beside it')
})

const payment = {
  chain: 'tron', index: 0, asset: 'USDT', units: '110000000', decimals: 6, state: 'final', confirmations: 30, confirmationsNeeded: 20,
  seenAt: '2026-11-27T10:00:00Z',
}

test('twelve proven deposits take two presses [U14] [D-Q5]', async ({ page }, info) => {
  const members = await Promise.all([registered(), registered(), registered()])
  const made: Made[] = []
  for (const member of members) for (const amount of [110, 111, 112, 113]) made.push(await deposit(member, amount))
  // The stack of these journeys observes no chain: what the server would say of the twelve is put into its answer.
  await page.route('**/v1/admin/queue/verdicts', async (route) => {
    const verdicts = made.map(({ id, revision = 1 }, index) => ({
      transactionId: id, revision, concerns: 0, chainState: 'final', blockers: [],
      provenBy: { payment: { ...payment, txid: hash(), index }, evidenceAt: '2026-11-27T10:00:00Z' },
    }))
    await route.fulfill({ json: { success: true, complete: true, verdicts } })
  })
  const sent: string[] = []
  await page.route('**/v1/admin/transactions/*/approve', async (route) => {
    sent.push(route.request().url())
    await route.fulfill({ json: { success: true, message: 'Approved.', transaction: {}, needsSecond: false, revision: 2 } })
  })
  await staffSignedIn(page, 'reviewer')
  await page.goto('/admin')
  const act = counting(page, info, '12 proven deposits')
  await act.button('Approve all 12 proven')
  await act.button('Approve 12 deposits')
  await expect(page.getByRole('dialog').getByText('Approved', { exact: true })).toHaveCount(12)
  act.end(2)
  expect(new Set(sent).size).toBe(12)
})

test('a deposit without evidence whose payment is on the chain takes two presses [D-Q6]', async ({ page }, info) => {
  const made = await deposit(await registered(), 110)
  const txid = hash()
  await page.route(`**/v1/admin/transactions/${made.id}*`, async (route) => {
    const response = await route.fetch({ url: route.request().url().replace(/\?.*/, '') })
    const body = (await response.json()) as { checks: { name: string; state: string }[] }
    const isChosen = route.request().url().includes(txid)
    const at = '2026-11-27T10:00:00Z'
    const checks = body.checks.map((check) => (isChosen && check.name.startsWith('payment_') ? { ...check, state: 'ok' } : check))
    const evidence = isChosen ? { at, payments: [{ ...payment, txid }], suggestedAmount: 110 } : { at, payments: [] }
    await route.fulfill({ response, json: { ...body, checks, evidence, candidates: isChosen ? [] : [{ ...payment, txid, value: 110 }] } })
  })
  const bodies: unknown[] = []
  await page.route(`**/v1/admin/transactions/${made.id}/approve`, async (route) => {
    bodies.push(route.request().postDataJSON())
    await route.fulfill({ json: { success: true, message: 'Approved.', transaction: {}, needsSecond: false, revision: 2 } })
  })
  await staffSignedIn(page, 'reviewer')
  await page.goto(`/admin/review/${made.id}`)
  await expect(page.getByText('best match')).toBeVisible()
  const act = counting(page, info, 'deposit without evidence, payment on the chain')
  await act.key('a')
  await expect(page.getByLabel('Transaction hash')).toHaveValue(txid)
  await act.key('Enter')
  await expect.poll(() => bodies).toEqual([expect.objectContaining({ receivedAmount: 110, txid, vout: 0 })])
  act.end(2)
})

test('a payout takes three presses [D-W5] [U5]', async ({ page }, info) => {
  const member = await registered()
  await fund(member, 500)
  const made = await withdrawal(member, 60)
  const reviewer = await asStaff('reviewer')
  const { transaction } = await reviewer<{ transaction: Made }>('GET', `/admin/transactions/${made.id}`)
  await reviewer('POST', `/admin/transactions/${made.id}/approve`, { revision: transaction.revision })
  await staffSignedIn(page, 'treasurer')
  await page.goto(`/admin/review/${made.id}`)
  await expect(page.getByRole('button', { name: 'Start the payout' })).toBeVisible()
  const act = counting(page, info, 'payout')
  await act.button('Start the payout')
  // It comes from the wallet that paid.
  await page.getByLabel('Transaction hash of the payout').fill(hash())
  await act.button('Mark as paid')
  await act.button('Yes, it is paid')
  await expect.poll(async () => (await member.api<{ transaction: { status: string } }>('GET', `/transactions/${made.id}`)).transaction.status).toBe('success')
  act.end(3)
})

/** Gets to a control as somebody without a mouse does: by the tab key alone. */
async function tabTo(page: Page, control: Locator) {
  await expect(control).toBeVisible()
  for (let tabs = 0; tabs < 150; tabs++) {
    if (await control.evaluate((element) => element === document.activeElement)) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`no tab leads to ${String(control)}`)
}

test('a payout, a hold, a proposal and a case need no mouse [R9] [D-W5] [D-O1]', async ({ page, another }) => {
  const member = await registered()
  await fund(member, 500)
  const made = await withdrawal(member, 60)
  const reviewer = await asStaff('reviewer')
  const { transaction } = await reviewer<{ transaction: Made }>('GET', `/admin/transactions/${made.id}`)
  await reviewer('POST', `/admin/transactions/${made.id}/approve`, { revision: transaction.revision })
  await member.api('POST', '/cases', { topic: 'deposit', complaint: false, text: 'Where is my payment?' })

  const enter = async (on: Page, control: Locator) => (await tabTo(on, control), on.keyboard.press('Enter'))
  const write = async (on: Page, control: Locator, text: string) => (await tabTo(on, control), on.keyboard.insertText(text))
  await staffSignedIn(page, 'treasurer')
  await page.goto('/admin/payouts')
  await enter(page, page.getByRole('link', { name: new RegExp(made.reference) }))
  await enter(page, page.getByRole('button', { name: 'Start the payout' }))
  await write(page, page.getByLabel('Transaction hash of the payout'), hash())
  await enter(page, page.getByRole('button', { name: 'Mark as paid' }))
  await enter(page, page.getByRole('button', { name: 'Yes, it is paid' }))
  await expect.poll(async () => (await member.api<{ transaction: { status: string } }>('GET', `/transactions/${made.id}`)).transaction.status).toBe('success')

  const treasurer = await asStaff('treasurer2')
  await treasurer('POST', `/admin/members/${member.id}/bonus`, { amount: 7, note: `Welcome ${member.id}` })
  await page.goto('/admin/proposals')
  const proposal = page.getByRole('region', { name: /^For you/ }).getByRole('listitem').filter({ hasText: member.id })
  await enter(page, proposal.getByRole('button', { name: 'Confirm' }))
  await enter(page, page.getByRole('dialog').getByRole('button', { name: /confirm/i }))
  await expect(proposal).toHaveCount(0)

  const desk = await another()
  await staffSignedIn(desk, 'reviewer')
  await desk.goto('/admin')
  await expect(desk.getByRole('heading', { level: 1, name: 'Queue' })).toBeVisible()
  await desk.keyboard.press('Control+k')
  await expect(desk.getByRole('combobox', { name: 'Search' })).toBeFocused()
  await desk.keyboard.insertText(member.email)
  await expect(desk.getByRole('option').filter({ hasText: member.email })).toBeVisible()
  await desk.keyboard.press('Enter')
  await expect(desk).toHaveURL(new RegExp(`/admin/members/${member.id}`))
  const holds = desk.getByRole('form', { name: 'Place a hold' })
  await write(desk, holds.getByLabel('Amount to hold'), '75')
  await desk.keyboard.press('Enter')
  await expect(desk.getByText('Placed by you, just now')).toBeVisible()

  await desk.goto('/admin/cases')
  await enter(desk, desk.getByRole('listitem').filter({ hasText: member.name }).last().getByRole('link'))
  await enter(desk, desk.getByRole('button', { name: 'Hand over' }))
  await enter(desk, desk.getByRole('dialog').getByRole('button', { name: 'Tess Treasurer' }))
  await expect(desk.getByRole('definition').filter({ hasText: 'Tess Treasurer' })).toBeVisible()
  await enter(desk, desk.getByRole('button', { name: 'Take this case' }))
  await write(desk, desk.getByLabel('Answer to the member'), 'It arrived.')
  await enter(desk, desk.getByRole('button', { name: 'Send the answer' }))
  await expect(desk.getByText('It arrived.')).toBeVisible()
})

test('ten payouts take three presses together [D-N5]', async ({ page }, info) => {
  const members = await Promise.all(Array.from({ length: 10 }, () => registered()))
  const reviewer = await asStaff('reviewer')
  const addresses = members.map(tronAddress)
  for (const [place, member] of members.entries()) {
    await fund(member, 200)
    const made = await withdrawal(member, 60, addresses[place])
    const { transaction } = await reviewer<{ transaction: Made }>('GET', `/admin/transactions/${made.id}`)
    await reviewer('POST', `/admin/transactions/${made.id}/approve`, { revision: transaction.revision })
  }
  await staffSignedIn(page, 'treasurer')
  await page.goto('/admin/payouts')
  const together = page.getByRole('button', { name: /^Pay \d+ in USDT on TRC20 together$/ })
  await expect(together).toBeVisible()
  const count = Number(/\d+/.exec((await together.textContent()) ?? '')?.[0])
  expect(count).toBeGreaterThanOrEqual(10)
  const act = counting(page, info, `payout, ${count} together`)
  await act.press(together)
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByText(/^Prepared, yours until/)).toHaveCount(count)
  await passes(page, 'payouts that are paid together')
  const saved = page.waitForEvent('download')
  await act.press(dialog.getByRole('button', { name: /^Download / }).first())
  const file = readFileSync(await (await saved).path(), 'utf8')
  for (const one of addresses) expect(file).toContain(one)
  // No node shows the payments of these journeys, so that none is recorded.
  await act.press(dialog.getByRole('button', { name: 'Record what the chain shows' }))
  await expect(dialog.getByText('Nothing new on the chain')).toBeVisible()
  act.end(3)
})

test('a hold is undone for five seconds, and what was not undone is sent when the page is left [R9] [D-B10]', async ({ page }, info) => {
  const member = await registered()
  await fund(member, 500)
  await staffSignedIn(page, 'reviewer')
  await page.goto(`/admin/members/${member.id}`)
  const holds = page.getByRole('form', { name: 'Place a hold' })
  const placed = page.getByText('Placed by you, just now')
  await holds.getByLabel('Amount to hold').fill('75')
  const act = counting(page, info, 'hold, undone')
  await act.key('Enter')
  await expect(placed).toBeVisible()
  // It waits for the focus, however long somebody needs.
  await page.getByRole('button', { name: 'Undo' }).focus()
  await passes(page, 'an act that can be undone')
  await act.key('Enter')
  await expect(placed).toBeHidden()
  await expect(page.getByText('Undone')).toBeVisible()
  act.end(2)

  await page.getByRole('button', { name: 'Add a note' }).click()
  await page.getByLabel('Note', { exact: true }).fill('Called by phone')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('You, just now')).toBeVisible()
  await page.goto('/admin/plans')
  await page.goto(`/admin/members/${member.id}`)
  await expect(page.getByText('Called by phone').first()).toBeVisible()
  await expect(page.getByText('No active holds.')).toBeVisible()
})

test('what I may decide stands first, and what happened is one time line in sentences [R9] [U12]', async ({ page }, info) => {
  const member = await registered()
  await fund(member, 500)
  const treasurer = await asStaff('treasurer')
  await treasurer('POST', `/admin/members/${member.id}/bonus`, { amount: 7, note: `Welcome ${member.id}` })
  await staffSignedIn(page, 'treasurer2')
  await page.goto('/admin/proposals')
  const act = counting(page, info, 'what may I decide')
  await expect(page.getByRole('heading', { level: 2 }).first()).toHaveText(/^For you \(\d+\)$/)
  act.end(0)
  await expect(page.getByRole('region', { name: /^For you/ }).getByRole('listitem').filter({ hasText: member.id })).toContainText('$7.00')

  await page.goto(`/admin/members/${member.id}`)
  await expect(page.getByText(/Deposit of \$500\.00 succeeded/)).toBeVisible()
  await page.getByText('Ledger', { exact: true }).click()
  await expect(page).toHaveURL(/tab=ledger/)
  await expect(page.getByRole('region', { name: 'Ledger entries' })).toBeVisible()
})

test('the audit log is one time line over all services, and the figures are those of the ledger [U12] [D-O3] [R9]', async ({ page }) => {
  const member = await registered()
  await fund(member, 500)
  const reviewer = await asStaff('reviewer')
  await reviewer('POST', `/admin/members/${member.id}/notes`, { note: 'Called by phone' })
  await staffSignedIn(page, 'auditor')
  await page.goto('/admin/audit')
  await page.getByRole('combobox', { name: 'Member' }).fill(member.email)
  await page.getByRole('option', { name: member.email }).click()
  await expect(page).toHaveURL(`/admin/audit?member=${member.id}`)
  const rows = page.getByRole('region', { name: 'Audit log' }).getByRole('row')
  await expect(rows.filter({ hasText: 'wrote a note about' })).toHaveCount(1)
  await expect(rows.filter({ hasText: 'approved the deposit' })).toHaveCount(1)
  await passes(page, 'the audit log of a member')
  await page.goto(`/admin/members?search=${encodeURIComponent(member.email)}`)
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Members as CSV' }).click()
  const lines = readFileSync(await (await saved).path(), 'utf8').split('\r\n')
  expect(lines[1]).toContain(`${member.id},Amara Lindqvist,${member.email},`)
  expect(lines).toHaveLength(3)
  for (const [path, name] of Object.entries({
    '/admin/staff': 'Staff as CSV', '/admin/proposals': 'Proposals as CSV', '/admin/payments': 'Unclaimed payments as CSV',
    '/admin/plans': 'Plans as CSV', '/admin/payment-methods': 'Platform methods as CSV', '/admin/figures?days=7': 'Decisions by person as CSV',
  })) {
    await page.goto(path)
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name }).click()
    expect(readFileSync(await (await download).path(), 'utf8'), path).toMatch(/^\ufeff(id|chain|plan|currency|person),.*\r\n/)
  }
  await page.goto('/admin/figures?days=7')
  await expect(page.getByRole('region', { name: 'Waiting times' })).toContainText('Deposit, approved')
  await expect(page.getByRole('region', { name: 'Decisions by person' })).toContainText('Rae Reviewer')
  await passes(page, 'the figures')
})
