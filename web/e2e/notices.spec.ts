import { approve, platformMethod, proof, signedIn } from './support/stack'
import { expect, test } from './support/test'

test('an approved deposit is shown once when it is, and stays as a notice until it is read [D-M7] [R2]', async ({ page }) => {
  const member = await signedIn(page)
  const receipt = `data:${proof.mimeType};base64,${proof.buffer.toString('base64')}`
  await member.api('POST', '/transactions/deposit', { amount: 137.25, method: await platformMethod(member), receipt, type: 'deposit' })
  const stream = page.waitForResponse((response) => response.url().endsWith('/v1/events') && response.ok())
  await page.goto('/dashboard')
  const bell = page.getByRole('banner').getByRole('link', { name: /^Notices/ })
  await expect(bell).toBeVisible()
  await stream

  await approve(member.email, 137.25)
  const toast = page.locator('.toast').filter({ hasText: '$137.25 was added to your balance' })
  await expect(toast).toHaveCount(1)
  await expect(bell).toHaveAccessibleName(/^Notices, \d+ unread$/)
  const unread = Number(/\d+/.exec((await bell.getAttribute('aria-label')) ?? '')?.[0])

  await bell.click()
  await expect(page).toHaveURL('/notices')
  const row = page.getByRole('region', { name: 'Today' }).getByRole('link', { name: /\$137\.25 was added to your balance/ })
  await expect(row).toContainText('Unread')
  await row.click()
  await expect(page).toHaveURL(/\/transactions\/[0-9a-f-]{36}$/)
  await expect(bell).toHaveAccessibleName(unread > 1 ? `Notices, ${unread - 1} unread` : 'Notices')

  await page.goto('/notices')
  await expect(page.getByRole('main').getByText('$137.25 was added to your balance')).toBeVisible()
  if (unread > 1) await page.getByRole('button', { name: 'Mark all as read' }).click()
  await expect(bell).toHaveAccessibleName('Notices')
  await expect(page.getByRole('main').getByText('Unread')).toHaveCount(0)
  // The filter stands in the address, which changes after the click.
  await page.getByText('Plans', { exact: true }).click()
  await expect(page.getByText('No notices of this kind')).toBeVisible()
})
