import { isAccessible } from './support/accessible'
import { hash, mailTo, signedIn, staffSignedIn } from './support/stack'
import { expect, test } from './support/test'

test('a payment that is not found becomes a case, staff answer it, and the mail only leads there [D-M8]', async ({ page, another }) => {
  const member = await signedIn(page)
  const txid = hash()
  await page.goto('/help')
  await page.getByLabel('Search the answers').fill('another network')
  await page.getByText('I used another network or address').click()
  await page.getByLabel('Transaction hash').fill(txid)
  await page.getByRole('button', { name: 'Find the payment' }).click()
  await page.getByRole('link', { name: 'Ask us to look for it' }).click()

  await expect(page.getByText(`About: Payment ${txid}`)).toBeVisible()
  await isAccessible(page, 'the form of a case')
  await page.getByLabel('What happened?').fill('I paid on the wrong network.\nCan you see it?')
  await page.getByLabel('Is this a complaint?').selectOption('yes')
  await page.getByRole('button', { name: 'Open the case' }).click()
  await expect(page).toHaveURL(/\/cases\/[\w-]{36}$/)
  await expect(page.getByText('Complaint settled by')).toBeVisible()
  const id = new URL(page.url()).pathname.split('/').at(-1) ?? ''
  const opened = await mailTo(member.email, new RegExp(`^[^]*/cases/${id}[^]*$`))
  expect(opened[0]).toContain('Complaint settled by')
  expect(opened[0]).not.toContain('wrong network')

  const desk = await another()
  await staffSignedIn(desk, 'reviewer')
  await desk.goto('/admin/cases?filter=complaints')
  await desk.locator(`a[href="/admin/cases/${id}"]`).click()
  await expect(desk.getByText('Can you see it?')).toBeVisible()
  await isAccessible(desk, 'a case for staff')
  await desk.getByRole('button', { name: 'Take this case' }).click()
  await expect(desk.getByRole('button', { name: 'Give back' })).toBeVisible()
  await desk.getByLabel('Begin with').selectOption('We look into it')
  await desk.getByRole('button', { name: 'Send the answer' }).click()
  await expect(desk.getByRole('button', { name: 'Close the case' })).toBeVisible()

  // The answer appears in the member's account, and the email has nothing of it.
  await expect(page.getByText(/We look into it and answer here/)).toBeVisible({ timeout: 60_000 })
  await expect(page.getByText('Answered', { exact: true })).toBeVisible()
  await isAccessible(page, 'an answered case')
  const answered = await mailTo(member.email, /^[^]*Read the answer[^]*$/)
  expect(answered[0]).not.toContain('We look into it')

  await desk.getByRole('button', { name: 'Close the case' }).click()
  await expect(desk.getByText('Closed by staff')).toBeVisible()
  await page.reload()
  await expect(page.getByText(/This case is closed/)).toBeVisible()
  await page.goto('/cases')
  await expect(page.getByRole('main').getByText('Complaint', { exact: false })).toBeVisible()
})
