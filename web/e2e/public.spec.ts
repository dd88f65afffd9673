import { signedIn } from './support/stack'
import { expect, test } from './support/test'

test('a visitor finds the course, the ways in and the free things [PUB-01] [PUB-03]', async ({ page }) => {
  await page.goto('/')
  const card = page.getByRole('article', { name: 'Course', exact: true })
  await expect(card.getByText('$87')).toBeVisible()
  await expect(card.locator('s')).toHaveText(/\$197/)
  await expect(card.getByText('over 10,300 students')).toBeVisible()
  const main = page.getByRole('main')
  await expect(main.getByRole('link', { name: 'Sign up' })).toHaveAttribute('href', '/register')
  await expect(main.getByRole('link', { name: 'Log in' })).toHaveAttribute('href', '/login')

  const checklist = await page.request.get((await page.getByRole('link', { name: /Free checklist/ }).getAttribute('href')) ?? '')
  expect(checklist.headers()['content-type']).toContain('application/pdf')

  await page.getByRole('link', { name: /Portfolio/ }).click()
  await expect(page).toHaveURL(/\/ugc-course#gallery$/)
  await expect(page.getByRole('heading', { name: 'The six formats brands order' })).toBeInViewport()
})

test('the sales page plays a video after a click and shows pictures by keyboard [PUB-02] [PUB-04]', async ({ page }) => {
  await page.goto('/ugc-course')
  await expect(page.locator('video, iframe')).toHaveCount(0)
  await page.getByRole('button', { name: /^Play: A tour/ }).click()
  const video = page.locator('video')
  await expect.poll(() => video.first().evaluate((node: HTMLVideoElement) => node.readyState)).toBeGreaterThanOrEqual(2)

  const others = page.getByRole('button', { name: /^Play: / })
  await expect(others).toHaveCount(2)
  await others.first().click()
  await others.first().click()
  // A video has no address before it has chosen its source.
  const files = () => video.evaluateAll((nodes) => nodes.map((node) => (node as HTMLVideoElement).currentSrc).filter(Boolean))
  await expect.poll(files).toHaveLength(3)
  for (const file of await files()) {
    expect((await page.request.head(file)).headers()['content-type']).toBe('video/webm')
  }

  const tile = page.getByRole('button', { name: /Testimonial/ })
  await tile.focus()
  await page.keyboard.press('Enter')
  const viewer = page.getByRole('dialog', { name: 'Picture viewer' })
  await expect(viewer.getByText('Testimonial')).toBeVisible()
  await page.keyboard.press('ArrowRight')
  await expect(viewer.getByText('Problem and solution')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(viewer).toBeHidden()
  await expect(tile).toBeFocused()

  await expect(page.getByText('$140 x 4 or $280 x 2 or $140 + $420 over 3')).toBeVisible()
})

test('the button to the course leads a visitor to the login first [PUB-02] [AUTH-15]', async ({ page }) => {
  await page.goto('/ugc-course')
  await page.getByRole('link', { name: 'Get lifetime access' }).click()
  await expect(page).toHaveURL(/\/login$/)
})

test('no page loads letters beyond Latin for the signs of currencies [DEP-02]', async ({ page }) => {
  const fonts: string[] = []
  page.on('request', (request) => request.resourceType() === 'font' && fonts.push(request.url()))
  await signedIn(page)
  for (const path of ['/deposits', '/withdrawals', '/payment-methods']) {
    await page.goto(path)
    await expect(page.getByText(path === '/payment-methods' ? 'Payment methods' : 'BTC').first()).toBeVisible()
    await page.evaluate(() => document.fonts.ready.then(() => undefined))
  }
  expect(fonts.filter((url) => !/inter-latin-opsz/.test(url))).toEqual([])
})
