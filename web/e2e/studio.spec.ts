import { signedIn, staffSignedIn } from './support/stack'
import { expect, test } from './support/test'

test('a manager writes a draft, publishes it, and goes back [D-C4]', async ({ page, another }) => {
  const title = `Lesson ${Date.now()}`
  await staffSignedIn(page, 'manager')
  await page.goto('/admin/course')
  await page.getByRole('button', { name: 'Add a lesson to UGC 101' }).click()
  await page.getByLabel('Title of the lesson').fill(title)
  await page.getByLabel('Address').fill(`lesson-${Date.now()}`)
  await page.getByLabel('Text in Markdown').fill('## A heading\n\nSome **bold** text.')
  await page.getByRole('switch', { name: /Free preview/ }).check()
  await expect(page.getByRole('region', { name: 'What members read' }).getByRole('heading', { name: 'A heading' })).toBeVisible()
  await expect(page.getByText(/Draft, saved/)).toBeVisible()

  const reader = await another()
  await signedIn(reader)
  await reader.goto('/courses')
  await expect(reader.getByRole('link', { name: /What brands buy/ })).toBeVisible()
  await expect(reader.getByRole('link', { name: title })).toHaveCount(0)

  await page.getByRole('button', { name: `Move ${title} up` }).click()
  await expect(page.getByText(/Draft, saved/)).toBeVisible()
  await page.getByRole('button', { name: 'Publish…' }).click()
  await expect(page.getByRole('dialog').getByText('New lesson')).toBeVisible()
  await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await reader.reload()
  await reader.getByRole('link', { name: title }).click()
  await expect(reader.getByRole('heading', { name: 'A heading' })).toBeVisible()

  await page.getByRole('button', { name: 'Restore version 1' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Restore version 1' }).click()
  await expect(page.getByText(/Members see version 1\./)).toBeVisible()
  await reader.goto('/courses')
  await expect(reader.getByRole('link', { name: /What brands buy/ })).toBeVisible()
  await expect(reader.getByRole('link', { name: title })).toHaveCount(0)
})
