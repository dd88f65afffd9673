import AxeBuilder from '@axe-core/playwright'
import { expect, test } from '@playwright/test'
import { newMember, signUp, watchConsole } from './support/stack'

const visitorPages = ['/', '/ugc-course', '/terms', '/privacy', '/nowhere', '/login', '/register', '/forgot-password', '/reset-password#token=x', '/verify?email=a%40b.test']
const memberPages = [
  '/dashboard', '/profile', '/deposits', '/withdrawals', '/transactions', '/courses', '/investments', '/investments/plans',
  '/payment-methods', '/payment-methods/add',
]

for (const theme of ['light', 'dark']) {
  test(`every page in the ${theme} theme passes axe at WCAG 2.2 AA and fits 360 px`, async ({ page }) => {
    test.setTimeout(600_000)
    const problems = watchConsole(page)
    await page.addInitScript((chosen) => {
      localStorage.setItem('theme', JSON.stringify({ state: { theme: chosen }, version: 0 }))
    }, theme)

    const check = async (path: string) => {
      await page.setViewportSize({ width: 360, height: 780 })
      await page.goto(path)
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      await expect(page.getByTestId('skeleton')).toHaveCount(0)
      expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth), `${path} scrolls sideways`).toBe(0)
      const { violations } = await new AxeBuilder({ page }).withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']).analyze()
      const found = violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${path}: ${id} at ${target.join(' ')}`))
      expect(found).toEqual([])
    }

    for (const path of visitorPages) await check(path)
    await page.setViewportSize({ width: 1280, height: 860 })
    await signUp(page, newMember())
    for (const path of memberPages) await check(path)
    expect(problems).toEqual([])
  })
}
