import { expect, type Locator, type Page, type Response, type TestInfo } from '@playwright/test'

/**
 * Counts presses of keys and buttons from here on, the seconds, and what the server refused after a press, which has to be
 * nothing; the list of results names all three.
 */
export function counting(page: Page, info: TestInfo, act: string) {
  const started = Date.now()
  const refused: string[] = []
  let presses = 0
  const note = (response: Response) => {
    const request = response.request()
    if (request.method() !== 'GET' && response.status() >= 400) refused.push(`${request.method()} ${request.url()}: ${response.status()}`)
  }
  page.on('response', note)
  return {
    key: async (key: string) => (presses++, page.keyboard.press(key)),
    press: async (button: Locator) => (presses++, button.click()),
    button: async (name: RegExp | string) => (presses++, page.getByRole('button', { name }).click()),
    end: (most: number) => {
      page.off('response', note)
      const description = `${presses} presses, ${Date.now() - started} ms, ${refused.length} refusals`
      info.annotations.push({ type: act, description })
      expect(presses, act).toBeLessThanOrEqual(most)
      expect(refused, act).toEqual([])
    },
  }
}
