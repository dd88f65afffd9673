import AxeBuilder from '@axe-core/playwright'
import { expect, type Page } from '@playwright/test'

/** Expects that axe finds nothing on the page as it stands, in both themes. */
export async function isAccessible(page: Page, where: string) {
  for (const theme of ['light', 'dark']) {
    await page.evaluate((chosen) => {
      document.documentElement.dataset['theme'] = chosen
      // The header covers a part of what lies under it.
      scrollTo({ top: 0, behavior: 'instant' })
      for (const animation of document.getAnimations()) animation.finish()
    }, theme)
    const { violations } = await new AxeBuilder({ page }).setLegacyMode().withTags(['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa']).analyze()
    expect(violations.map(({ id, nodes }) => `${id} at ${nodes[0]?.target.join(' ')}`), `${where}, ${theme}`).toEqual([])
  }
}

/** Axe in both themes at 1280 and 360 px, and nothing to scroll sideways. */
export async function passes(page: Page, where: string) {
  for (const width of [1280, 360]) {
    await page.setViewportSize({ width, height: 860 })
    await isAccessible(page, `${where}, ${width} px`)
    const sideways = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
    expect(sideways, `${where} scrolls sideways at ${width} px`).toBeLessThanOrEqual(0)
  }
  await page.setViewportSize({ width: 1280, height: 860 })
}
