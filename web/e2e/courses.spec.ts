import { readFile } from 'node:fs/promises'
import { isAccessible, passes } from './support/accessible'
import { approve, fund, mailTo, proof, signedIn, staffSignedIn, startAs } from './support/stack'
import { expect, test } from './support/test'

test('bought from the balance, the course opens at once and is read lesson by lesson [CRS-01] [CRS-02] [D-C1] [D-C2] [D-C3]', async ({ page }) => {
  const member = await signedIn(page)
  await fund(member, 100)
  await page.goto('/courses')
  await expect(page.getByRole('link', { name: '$87 Lifetime access' })).toHaveAttribute('href', '/deposits?type=course&amount=87')
  await expect(page.getByText(', locked').first()).toBeAttached()
  await expect(page.getByText('Free preview')).toHaveCount(1)

  await page.getByRole('button', { name: 'Pay from balance' }).click()
  await expect(page.getByRole('dialog')).toContainText('$13.00')
  await page.getByRole('button', { name: 'Pay $87.00' }).click()
  await expect(page.getByText('Purchased')).toBeVisible()
  await expect(page.getByText(', locked')).toHaveCount(0)

  await page.getByRole('link', { name: 'Start the course' }).click()
  await expect(page.getByRole('article').locator('p').nth(3)).not.toBeEmpty()
  const first = await page.getByRole('heading', { level: 1 }).textContent()
  await page.getByRole('button', { name: 'Mark as done' }).click()
  await page.getByRole('link', { name: 'Next lesson' }).click()
  await expect(page.getByRole('heading', { level: 1 })).not.toHaveText(first ?? '')
  // Until it is there, its page has this title.
  await expect(page.getByRole('heading', { level: 1 })).not.toHaveText('Lesson')
  const second = await page.getByRole('heading', { level: 1 }).textContent()
  await page.goto('/courses')
  await expect(page.getByText(/^1 of \d+ lessons done$/)).toBeVisible()

  // Progress is kept on the server: another browser has it, and goes on with the lesson that was opened last [D-C6].
  const elsewhere = await (await page.context().browser()?.newContext())?.newPage()
  if (!elsewhere) throw new Error('no second browser')
  await startAs(elsewhere, member)
  await elsewhere.goto('/dashboard')
  await elsewhere.getByRole('link', { name: /Continue the course/ }).click()
  await expect(elsewhere.getByRole('heading', { level: 1 })).toHaveText(second ?? '')
  await elsewhere.context().close()

  await page.goto('/dashboard')
  await expect(page.getByRole('region', { name: 'Active Courses' })).toContainText('1')
  await expect(page.getByRole('region', { name: 'Available Balance' })).toContainText('$13.00')
  await expect(page.getByRole('main').getByRole('link', { name: /Course.*minus \$87\.00/ })).toBeVisible()
})

test('paid by deposit, the course is in review until staff confirms it, and then opens without a reload [CRS-01] [CRS-02] [DEP-01] [D-C1]', async ({ page }) => {
  const member = await signedIn(page)
  await page.goto('/courses')
  await page.getByRole('link', { name: '$87 Lifetime access' }).click()
  await expect(page.getByLabel('Amount')).toHaveValue('87')
  await page.getByText('TRC20').click()
  await page.getByLabel('Proof of payment').setInputFiles(proof)
  await page.getByRole('button', { name: 'I have made payment' }).click()
  await expect(page).toHaveURL('/transactions')

  await page.getByRole('link', { name: 'Courses' }).first().click()
  await expect(page.getByText('In review')).toBeVisible()
  await approve(member.email, 87)
  await expect(page.getByText('Purchased')).toBeVisible({ timeout: 30_000 })
  await expect(page.getByText(', locked')).toHaveCount(0)
})

test('all lessons done earn a certificate that others can verify [D-C8]', async ({ page, another, watch }) => {
  watch.tolerate(/status of 404/)
  const member = await signedIn(page)
  await fund(member, 100)
  await member.api('POST', '/courses/purchase')
  const { course } = await member.api<{ course: { title: string; modules: { lessons: { id: string }[] }[] } }>('GET', '/courses')
  const [last, ...others] = course.modules.flatMap(({ lessons }) => lessons).map(({ id }) => id)
  for (const id of others) await member.api('PUT', `/courses/lessons/${id}/progress`, { position: 0, done: true })
  await page.goto('/courses')
  await expect(page.getByText(/lessons done$/)).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Your certificate' })).toHaveCount(0)
  await page.goto(`/courses/lessons/${last}`)
  // Leaving the page earlier would cut the request off.
  const kept = page.waitForResponse((response) => /"done":true/.test(response.request().postData() ?? ''))
  await page.getByRole('button', { name: 'Mark as done' }).click()
  await kept
  await page.goto('/courses')
  await passes(page, 'the course when all lessons are done')
  await expect(page.getByRole('heading', { name: 'Your certificate' })).toBeVisible()

  const download = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download PDF' }).click()
  const file = await readFile(await (await download).path())
  expect(file.subarray(0, 5).toString()).toBe('%PDF-')
  const address = (await page.getByRole('link', { name: 'View' }).getAttribute('href')) ?? ''
  expect(file.toString('latin1')).toContain(address)
  expect(file.toString('latin1')).toContain(course.title)

  // Anybody with the address sees it without an account; another address shows nothing.
  const stranger = await another()
  await stranger.goto(address)
  await expect(stranger.getByText('This certificate is valid.')).toBeVisible()
  await expect(stranger.getByRole('definition')).toHaveText([member.name, course.title, /\d{4}$/, address.replace('/certificates/', '')])
  await expect(stranger.getByText(member.email)).toHaveCount(0)
  await passes(stranger, 'a certificate')
  for (const number of ['1', '00000000-0000-4000-8000-000000000000', member.id]) {
    await stranger.goto(`/certificates/${number}`)
    await expect(stranger.getByText('No such certificate')).toBeVisible()
  }
  await passes(stranger, 'no certificate')
})

test('two treasurers refund the course; access ends at once and the member is told [D-C9]', async ({ page, another, watch }) => {
  watch.tolerate(/status of 403/)
  const member = await signedIn(page)
  await fund(member, 100)
  const { transaction } = await member.api<{ transaction: { id: string; reference: string } }>('POST', '/courses/purchase')
  await page.goto('/courses')
  await expect(page.getByText('Purchased')).toBeVisible()

  const treasurer = await another()
  await staffSignedIn(treasurer, 'treasurer')
  await treasurer.goto(`/admin/review/${transaction.id}`)
  await treasurer.getByRole('button', { name: 'Refund' }).click()
  const dialog = treasurer.getByRole('dialog')
  await expect(dialog).toContainText('$87.00')
  await isAccessible(treasurer, 'the refund')
  await dialog.getByLabel('Reason').fill(`Asked for by ${member.id}`)
  await dialog.getByRole('button', { name: 'Propose' }).click()
  await expect(dialog).toBeHidden()

  const second = await another()
  await staffSignedIn(second, 'treasurer2')
  await second.goto('/admin/proposals')
  const proposal = second.getByRole('listitem').filter({ hasText: member.id })
  await expect(proposal).toContainText('Refund the course')
  await expect(proposal).toContainText(transaction.reference)
  await expect(proposal).toContainText('$87.00')
  await proposal.getByRole('button', { name: 'Confirm' }).click()
  await proposal.getByRole('button', { name: 'Confirm the proposal' }).click()
  await expect(second.getByText('The proposal has taken effect.')).toBeVisible()

  // The open page is notified; the lessons are closed in every other one, too.
  await expect(page.getByRole('link', { name: '$87 Lifetime access' })).toBeVisible({ timeout: 5_000 })
  await page.goto('/courses/lessons/film-with-a-phone')
  await expect(page.getByRole('button', { name: 'Mark as done' })).toHaveCount(0)
  await page.goto('/dashboard')
  await expect(page.getByRole('region', { name: 'Available Balance' })).toContainText('$100.00')
  await mailTo(member.email, /refunded/)
  await treasurer.reload()
  await expect(treasurer.getByText('It was refunded by')).toBeVisible()
  await expect(treasurer.getByRole('button', { name: 'Refund' })).toHaveCount(0)
})
