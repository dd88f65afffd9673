import { expect, type Locator, type Page, type TestInfo } from '@playwright/test'

/** Counts presses of keys and buttons from here on, and the seconds; the list of results names both. */
export function counting(page: Page, info: TestInfo, act: string) {
  const started = Date.now()
  let presses = 0
  return {
    key: async (key: string) => (presses++, page.keyboard.press(key)),
    press: async (button: Locator) => (presses++, button.click()),
    button: async (name: RegExp | string) => (presses++, page.getByRole('button', { name }).click()),
    end: (most: number) => {
      info.annotations.push({ type: act, description: `${presses} presses, ${Date.now() - started} ms` })
      expect(presses, act).toBeLessThanOrEqual(most)
    },
  }
}
