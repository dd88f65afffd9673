import AxeBuilder from '@axe-core/playwright'
import { expect, type Page } from '@playwright/test'

/** Expects that axe finds nothing on the page as it stands, in both themes. */
export async function isAccessible(page: Page, where: string) {
  for (const theme of ['light', 'dark']) {
    await page.evaluate((chosen) => {
      document.documentElement.dataset['theme'] = chosen
      for (const animation of document.getAnimations()) animation.finish()
    }, theme)
    const { violations } = await new AxeBuilder({ page }).setLegacyMode().withTags(['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa']).analyze()
    expect(violations.map(({ id, nodes }) => `${id} at ${nodes[0]?.target.join(' ')}`), `${where}, ${theme}`).toEqual([])
  }
}
