import AxeBuilder from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { address, colleague, deposit, emptyQueue, logIn, type Row, withdrawal } from './support/office'
import { asStaff, fund, hash, mailTo, registered, signedIn } from './support/stack'
import { expect, test } from './support/test'

test('staff land in the back office and never on member pages, members find nothing there [D-O1] [D-O2] [D-R1]', async ({ page, another }) => {
  await page.goto('/admin')
  await expect(page).toHaveURL('/login')
  await logIn(page, 'reviewer')
  await expect(page.getByRole('heading', { name: 'Queue' })).toBeVisible()
  for (const path of ['/dashboard', '/deposits', '/profile', '/login']) {
    await page.goto(path)
    await expect(page).toHaveURL('/admin')
  }
  const other = await another()
  await signedIn(other)
  await other.goto('/admin')
  await expect(other.getByRole('heading', { level: 1 })).toContainText(/not found|does not exist/i)
})

test('a reviewer clears a queue of ten with the keyboard alone [D-O1] [D-O2] [D-D1] [D-D4] [D-R3] [D-W5]', async ({ page }, info) => {
  await emptyQueue()
  const members = [await registered(), await registered()] as const
  for (const member of members) {
    await fund(member, 500)
    for (const amount of [110, 120, 130]) await deposit(member, amount, hash())
    await deposit(member, 140)
    await withdrawal(member, 60)
  }
  await logIn(page, 'reviewer')
  await expect(page.getByRole('link', { name: /Awaiting decision/ })).toContainText('10')
  await expect(page.getByRole('main').getByRole('listitem')).toHaveCount(10)

  let keys = 0
  const press = async (key: string) => {
    keys++
    await page.keyboard.press(key)
  }
  const started = Date.now()
  await press('Enter')
  for (let item = 0; item < 10; item++) {
    const title = page.getByRole('heading', { level: 1, name: /^TNX-/ })
    await expect(title).toBeVisible()
    const reference = await title.textContent()
    await expect(page.getByRole('heading', { name: 'Your decision' })).toBeVisible()
    if (item === 4) {
      await press('r')
      await press('1')
      await expect(page.getByRole('region', { name: 'Email to the member' })).toBeVisible()
      await press('Enter')
    } else {
      await press('a')
      const field = page.getByLabel('Transaction hash')
      const isPayment = await page.getByLabel('Amount that arrived').isVisible()
      if (isPayment) {
        if ((await field.inputValue()) === '') {
          await expect(field).toBeFocused()
          keys++
          await page.keyboard.insertText(hash())
          await press('Tab')
          await press('Tab')
        }
        await expect(page.getByLabel('Note for the audit log')).toBeFocused()
        keys++
        await page.keyboard.insertText('Seen in the explorer of the network')
      }
      await press('Enter')
    }
    if (item < 9) await expect(title).not.toHaveText(reference ?? '')
  }
  await expect(page.getByText('The queue is empty')).toBeVisible()
  info.annotations.push({ type: 'queue of ten', description: `${keys} keys, ${Date.now() - started} ms` })

  const reviewer = await asStaff('auditor')
  const { queue } = await reviewer<{ queue: { kind: string; count: number }[] }>('GET', '/admin/queue')
  expect(queue.filter(({ kind }) => kind !== 'payout').every(({ count }) => count === 0)).toBe(true)
})

test('a decision on something that changed meanwhile is not taken [D-O2]', async ({ page, watch }) => {
  watch.tolerate(/status of 409/)
  await emptyQueue()
  const member = await registered()
  await deposit(member, 150, hash())
  await logIn(page, 'reviewer')
  await expect(page.getByRole('main').getByRole('link', { name: member.email })).toBeVisible()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1, name: /^TNX-/ })).toBeVisible()
  await page.keyboard.press('a')
  await expect(page.getByLabel('Amount that arrived')).toHaveValue('150.00')

  const second = await asStaff('reviewer2')
  const { transactions } = await second<{ transactions: Row[] }>('GET', '/admin/transactions?status=pending')
  await second('POST', `/admin/transactions/${transactions[0]?.id}/reject`, { revision: transactions[0]?.revision, reasonCode: 'DUPLICATE' })

  await page.keyboard.press('Enter')
  await expect(page.getByText('Decided: rejected')).toBeVisible()
  await expect(page.getByText('This payment has been submitted before.')).toBeVisible()
})

test('a treasurer pays what a reviewer approved, once [D-W5] [D-O1] [D-E2]', async ({ page }) => {
  await emptyQueue()
  const member = await registered()
  await fund(member, 2000)
  const { id, reference } = await withdrawal(member, 1200)
  const reviewer = await asStaff('reviewer')
  await reviewer('POST', `/admin/transactions/${id}/approve`, { revision: 1 })

  await logIn(page, 'treasurer')
  await page.getByRole('link', { name: /^Payouts/ }).click()
  const payout = page.getByRole('region', { name: `Payout ${reference}` })
  await expect(payout).toContainText('$1,170.00')
  await expect(payout.getByText(address, { exact: true })).toHaveCount(0)
  await payout.getByRole('button', { name: 'Start the payout' }).click()
  await expect(payout.getByText(/^You are paying this until \d/)).toBeVisible()
  await expect(payout.getByRole('timer')).toHaveText(/^1[45]:\d\d left$/)
  await expect(payout.getByText(address, { exact: true })).toBeVisible()
  await expect(payout.getByRole('img', { name: `QR code of ${address}` })).toBeVisible()
  await expect(payout).toContainText('Approved by Rae Reviewer. From $1,000.00 on, the approver cannot pay it out')
  await payout.getByRole('button', { name: 'Mark as paid' }).click()
  await expect(payout.getByText('The hash of the payout is required')).toBeVisible()
  await payout.getByLabel('Transaction hash of the payout').fill(hash())
  await payout.getByRole('button', { name: 'Mark as paid' }).dblclick()
  await payout.getByRole('button', { name: 'Yes, it is paid' }).dblclick()
  await expect(page.getByText('No payouts waiting')).toBeVisible()

  await page.goto(`/admin/review/${id}`)
  await expect(page.getByText('Decided: confirmed')).toBeVisible()
  await expect(page.getByRole('button', { name: /Reject|Mark as paid/ })).toHaveCount(0)
  await mailTo(member.email, /withdrawal was paid/i)
})

test('one treasurer pays at a time, and another sees who and until when [D-B7] [D-B8]', async ({ page, another }) => {
  await emptyQueue()
  const member = await registered()
  await fund(member, 3000)
  const { id, reference } = await withdrawal(member, 2000)
  const reviewer = await asStaff('reviewer')
  await reviewer('POST', `/admin/transactions/${id}/approve`, { revision: 1 })
  await logIn(page, 'treasurer')
  await page.goto('/admin/payouts')
  const payout = page.getByRole('region', { name: `Payout ${reference}` })
  await payout.getByRole('button', { name: 'Start the payout' }).click()
  await payout.getByLabel('Transaction hash of the payout').fill(hash())
  await payout.getByRole('button', { name: 'Renew' }).click()
  await expect(payout.getByText('Renewing...')).toHaveCount(0)
  await expect(payout.getByLabel('Transaction hash of the payout')).not.toHaveValue('')

  const second = await colleague(another, 'treasurer2')
  await second.goto('/admin/payouts')
  const theirs = second.getByRole('region', { name: `Payout ${reference}` })
  await expect(theirs.getByText(/ is paying this until \d/)).toBeVisible()
  await expect(theirs.getByRole('button', { name: /Start|Mark as paid|reject/ })).toHaveCount(0)
  await expect(theirs.getByText(address, { exact: true })).toHaveCount(0)
  await expect(second.getByRole('main').getByRole('listitem').filter({ hasText: member.name })).toContainText(/is paying until \d/)

  await payout.getByLabel('Output').fill('x')
  await payout.getByRole('button', { name: 'Mark as paid' }).click()
  await expect(payout.getByText('Enter a whole number like 0')).toBeVisible()
  await payout.getByLabel('Output').fill('3')
  await payout.getByRole('button', { name: 'Mark as paid' }).click()
  await page.getByRole('button', { name: 'Yes, it is paid' }).click()
  await expect(page.getByText('No payouts waiting')).toBeVisible()
  await page.goto(`/admin/review/${id}`)
  await expect(page.getByText('Output', { exact: true }).locator('..')).toContainText('3')
})

test('a large deposit waits for a second reviewer, who looks for themselves [D-B12]', async ({ page, another }) => {
  await emptyQueue()
  const member = await registered()
  await deposit(member, 12_000)
  const txid = hash()
  const approveAs = async (reviewer: Page) => {
    await reviewer.getByRole('main').getByRole('listitem').getByRole('link').first().click()
    await reviewer.getByRole('button', { name: /^Approve/ }).click()
    await expect(reviewer.getByLabel('Transaction hash')).toHaveValue('')
    await reviewer.getByLabel('Transaction hash').fill(txid)
    await reviewer.getByLabel('Note for the audit log').fill('Seen in the explorer of the network')
    await reviewer.getByRole('button', { name: 'Credit $12,000.00' }).click()
  }
  await logIn(page, 'reviewer')
  await approveAs(page)
  await expect(page.getByText('Approved. A second reviewer has to approve it too.')).toBeVisible()
  await page.goto('/admin')
  await expect(page.getByRole('main').getByRole('listitem')).toContainText('Awaiting second review')
  await page.getByRole('main').getByRole('listitem').getByRole('link').first().click()
  await expect(page.getByText('You approved $12,000.00.')).toBeVisible()
  await expect(page.getByRole('button', { name: /^Approve/ })).toBeDisabled()

  const second = await colleague(another, 'reviewer2')
  await approveAs(second)
  await expect(second.getByText('The queue is empty')).toBeVisible()
  await page.reload()
  await expect(page.getByText('Decided: confirmed')).toBeVisible()
})

const pages = ['/admin', '/admin/payments', '/admin/payouts', '/admin/members', '/admin/plans', '/admin/payment-methods', '/admin/proposals', '/admin/staff', '/admin/audit', '/admin/solvency']

test('an auditor sees everything and changes nothing [D-O1] [D-O3] [D-R6]', async ({ page }) => {
  const member = await registered()
  await fund(member, 150)
  await deposit(member, 175)
  await logIn(page, 'auditor')
  const writes: string[] = []
  page.on('request', (request) => {
    if (request.method() !== 'GET' && !/\/(viewing|login)$/.test(request.url())) writes.push(request.url())
  })
  const { plans } = await member.api<{ plans: { id: string }[] }>('GET', '/plans')
  const auditor = await asStaff('auditor')
  const { transactions } = await auditor<{ transactions: Row[] }>('GET', '/admin/transactions?status=pending')
  const id = transactions[0]?.id ?? ''
  for (const path of [...pages, `/admin/review/${id}`, `/admin/members/${member.id}`, `/admin/plans/${plans[0]?.id}`]) {
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await expect(page.getByTestId('skeleton')).toHaveCount(0)
    await expect(page.getByRole('alert')).toHaveCount(0)
    await expect(page.getByRole('button', { name: /Approve|Reject|Propose|Confirm|Freeze|Reverse|Hold|Release|Disable|Add a note|Mark as paid|Replay|invitation/ })).toHaveCount(0)
  }
  expect(writes).toEqual([])

  await page.goto('/admin/audit')
  await expect(page.getByRole('region', { name: 'Audit log' })).toContainText('approved the deposit')
  await page.goto('/admin/solvency')
  await expect(page.getByText('The ledger is consistent')).toBeVisible()

  // What the pages leave out, the services refuse.
  const refused: [string, string, object?][] = [
    ['POST', `/admin/transactions/${id}/approve`, { revision: 1, txid: hash() }],
    ['POST', `/admin/transactions/${id}/reject`, { revision: 1, reasonCode: 'OTHER' }],
    ['POST', `/admin/members/${member.id}/freeze`, { note: 'x' }],
    ['POST', `/admin/members/${member.id}/bonus`, { amount: 10, note: 'x' }],
    ['POST', `/admin/plans/${plans[0]?.id}/values`, { value: 1.1, source: 'x' }],
    ['POST', '/admin/staff', { name: 'X', email: 'x@example.test', role: 'admin' }],
  ]
  for (const [method, path, body] of refused) await expect(auditor(method, path, body)).rejects.toThrow(/403/)
})

for (const theme of ['light', 'dark']) {
  test(`the back office in the ${theme} theme passes axe at WCAG 2.2 AA and fits 360 px [D-O2]`, async ({ page }) => {
    test.setTimeout(300_000)
    await page.addInitScript((chosen) => localStorage.setItem('theme', JSON.stringify({ state: { theme: chosen }, version: 0 })), theme)
    const member = await registered()
    await fund(member, 1500)
    await deposit(member, 185, hash())
    const reviewer = await asStaff('reviewer')
    const paid = await withdrawal(member, 1100)
    await reviewer('POST', `/admin/transactions/${paid.id}/approve`, { revision: 1 })
    const { transactions } = await reviewer<{ transactions: Row[] }>('GET', '/admin/transactions?status=pending')
    const open = transactions.find(({ kind }) => kind === 'deposit')?.id ?? ''

    const check = async (path: string, key?: string) => {
      await page.goto(path)
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      await expect(page.getByTestId('skeleton')).toHaveCount(0)
      if (key) await page.keyboard.press(key)
      expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth), `${path} scrolls sideways`).toBe(0)
      const { violations } = await new AxeBuilder({ page }).withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']).analyze()
      expect(violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${path}: ${id} at ${target.join(' ')}`))).toEqual([])
    }

    await page.setViewportSize({ width: 360, height: 780 })
    await logIn(page, 'admin')
    for (const path of pages) await check(path)
    await page.evaluate(() => localStorage.removeItem('auth'))
    await logIn(page, 'reviewer')
    for (const key of ['a', 'r', '?']) await check(`/admin/review/${open}`, key)
    await page.evaluate(() => localStorage.removeItem('auth'))
    await logIn(page, 'treasurer')
    await check(`/admin/payouts/${paid.id}`)
    const treasurer = await asStaff('treasurer')
    await treasurer('POST', `/admin/transactions/${paid.id}/paying`, { revision: 2 })
    for (const path of [`/admin/payouts/${paid.id}`, `/admin/members/${member.id}`, '/admin/payment-methods']) await check(path)
  })
}
