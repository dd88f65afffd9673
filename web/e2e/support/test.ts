/** The test of every journey: it also fails for console errors, broken content policy and requests to other sites. */
import { test as base, type Page } from '@playwright/test'

export { expect } from '@playwright/test'

type Watch = {
  /** Console lines that a journey provokes on purpose, such as a refused request. */
  tolerate: (line: RegExp) => void
}

export const test = base.extend<{ watch: Watch }>({
  watch: [
    async ({ context, baseURL }, use) => {
      // The machine's network, not the page: another program made or removed an interface.
      const tolerated = [/ERR_NETWORK_CHANGED/]
      const problems: string[] = []
      const note = (problem: string) => problems.push(problem)
      const follow = (page: Page) => {
        page.on('console', (message) => message.type() === 'error' && note(message.text()))
        page.on('pageerror', (error) => note(error.message))
      }
      context.on('page', follow)
      context.on('request', (request) => {
        const url = request.url()
        if (!url.startsWith(baseURL ?? '') && !/^(data|blob):/.test(url)) note(`asked another site: ${url}`)
      })
      await use({ tolerate: (line) => tolerated.push(line) })
      const unexpected = problems.filter((problem) => !tolerated.some((line) => line.test(problem)))
      if (unexpected.length > 0) throw new Error(`The browser reported:\n${unexpected.join('\n')}`)
    },
    { auto: true },
  ],
})
