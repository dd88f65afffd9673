import { asStaff, fund, signedIn } from './support/stack'
import { expect, test } from './support/test'

type Plan = { id: string; title: string; value: number }

/** Two managers publish a higher value of the plan. */
async function raiseValue(title: string) {
  const [manager, other] = [await asStaff('manager'), await asStaff('manager2')]
  const { plans } = await manager<{ plans: Plan[] }>('GET', '/plans')
  const { id, value } = plans.find((plan) => plan.title === title) as Plan
  const raised = Math.round(value * 1.05 * 1e6) / 1e6
  const { proposalId } = await manager<{ proposalId: string }>('POST', `/admin/plans/${id}/values`, { value: raised, source: 'Closing prices of the day' })
  await other('POST', `/admin/proposals/${proposalId}/confirm`)
}

test('a member invests, closes one trade and claims the profit of another [INV-01] [INV-02] [INV-04] [INV-05] [INV-06] [INV-07] [D-I1] [D-I2] [D-I4]', async ({ page }) => {
  const member = await signedIn(page)
  await fund(member, 1000)
  await page.goto('/investments')
  await expect(page.getByText('No Investments Yet')).toBeVisible()

  const openPlan = async () => {
    await page.goto('/investments/plans')
    const card = page.locator('section', { has: page.getByRole('heading', { name: 'Starter' }) })
    await expect(card).toContainText('target, not guaranteed')
    await card.getByRole('link', { name: 'Click to Invest' }).click()
    await expect(page.getByRole('img', { name: /^Starter: .*from .* to / })).toBeVisible()
  }
  const invest = async (amount: string) => {
    await page.getByLabel('Amount').fill(amount)
    await page.getByRole('button', { name: 'Check and invest' }).click()
  }

  const confirm = () => page.getByRole('button', { name: 'Invest', exact: true }).click()

  await openPlan()
  await expect(page.getByLabel('Amount')).toHaveCount(0)
  await page.getByRole('button', { name: 'I understand that I can lose money' }).click()
  await page.getByText('Values and sources').click()
  await expect(page.getByRole('table').getByRole('row')).not.toHaveCount(0)
  await invest('50')
  await expect(page.getByText('Amount must be between $100.00 and $2,500.00')).toBeVisible()
  await invest('1000.01')
  await expect(page.getByText('Insufficient balance')).toBeVisible()
  await invest('200')
  await expect(page.getByRole('heading', { name: 'Check and invest' })).toBeFocused()
  await confirm()
  await expect(page).toHaveURL('/investments')
  await expect(page.getByText('Live', { exact: true })).toHaveCount(1)
  await expect(page.getByText('$200.00, as invested')).toBeVisible()

  await page.getByRole('button', { name: 'Close Trade' }).click()
  await page.getByRole('button', { name: 'Close now' }).click()
  await expect(page.getByText('No Investments Yet')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Ended trades' })).toBeVisible()

  await openPlan()
  await invest('400')
  await confirm()
  await expect(page).toHaveURL('/investments')
  await raiseValue('Starter')
  await expect(async () => {
    await page.reload()
    await expect(page.getByRole('button', { name: 'Claim Profit' })).toBeVisible({ timeout: 2_000 })
  }).toPass({ timeout: 20_000 })
  await expect(page.getByRole('main')).toContainText('+5.0%')
  await expect(page.getByRole('img', { name: /^Portfolio value from \$400\.00 to \$420\.00/ })).toBeVisible()
  await page.getByRole('button', { name: 'Claim Profit' }).click()
  await page.getByRole('button', { name: 'Claim now' }).click()
  await expect(page.getByText('No Investments Yet')).toBeVisible()

  await page.goto('/transactions')
  await expect(page.getByRole('main').getByRole('link', { name: /^Profit/ })).toContainText('+$')
  await expect(page.getByRole('main').getByRole('link', { name: /^Trade/ })).toHaveCount(4)
})

test('the page of a plan says what it is before a member invests [D-T3] [D-I5]', async ({ page }) => {
  await signedIn(page)
  await page.goto('/investments/plans')
  await page.getByRole('link', { name: 'Holdings, risk and costs of Balanced' }).click()
  await expect(page.getByRole('heading', { name: 'Balanced', level: 1 })).toBeVisible()
  await expect(page.getByText('Risk 3 of 7, medium-low risk')).toBeVisible()
  await expect(page.getByText(/^\$500\.00 invested on .* is \$49\d\.\d\d today\.$/)).toBeVisible()
  await expect(page.getByRole('table').getByRole('row')).not.toHaveCount(0)
  await page.getByText('1M', { exact: true }).click()
  await expect(page.getByRole('img', { name: /^Balanced: -/ })).toBeVisible()
  await page.getByRole('link', { name: 'Invest in Balanced' }).click()
  await expect(page.getByRole('heading', { name: 'Before you invest' })).toBeVisible()
})

test('a page of plans draws every course from one request [INV-01] [D-I5]', async ({ page }) => {
  await signedIn(page)
  const asked: string[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (pathname.startsWith('/v1/plans')) asked.push(pathname)
  })
  await page.goto('/investments/plans')
  const plans = page.getByRole('link', { name: 'Click to Invest' })
  await expect(plans).toHaveCount(4)
  await expect(page.getByRole('figure')).toHaveCount(4)
  expect(asked.toSorted()).toEqual(['/v1/plans', '/v1/plans/values'])
})
