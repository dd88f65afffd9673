import AxeBuilder from '@axe-core/playwright'
import { expect, test } from '@playwright/test'

const pages = ['/', '/ugc-course', '/terms', '/privacy', '/no/such/page']

for (const theme of ['light', 'dark'] as const) {
  for (const path of pages) {
    test(`${path} in ${theme} is accessible, asks no other site and fits a phone [PUB-05]`, async ({ page, baseURL }) => {
      const outside: string[] = []
      const problems: string[] = []
      page.on('request', (request) => {
        const url = request.url()
        if (!url.startsWith(baseURL ?? '') && !/^(data|blob):/.test(url)) outside.push(url)
      })
      page.on('pageerror', (error) => problems.push(error.message))
      page.on('console', (message) => {
        // The server answers an unknown page with 404, which the browser reports too.
        if (message.type() === 'error' && !message.text().includes('404')) problems.push(message.text())
      })
      await page.addInitScript((chosen) => {
        localStorage.setItem('theme', JSON.stringify({ state: { theme: chosen }, version: 0 }))
      }, theme)
      await page.goto(path)
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()

      const { violations } = await new AxeBuilder({ page }).withTags(['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa']).analyze()
      expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([])

      await page.setViewportSize({ width: 360, height: 780 })
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
      expect(outside).toEqual([])
      expect(problems).toEqual([])
    })
  }
}

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
  await expect.poll(() => video.evaluate((node: HTMLVideoElement) => node.readyState)).toBeGreaterThanOrEqual(2)

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
