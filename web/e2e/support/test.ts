/** The test of every journey: it also fails for console errors, broken content policy and requests to other sites. */
import { test as base, type BrowserContext, type Page } from '@playwright/test'

export { expect } from '@playwright/test'

type Watch = {
  /** Console lines that a journey provokes on purpose, such as a refused request. */
  tolerate: (line: RegExp) => void
}

/** A page in a browser of another person, which is closed when the journey is over. */
export type Another = () => Promise<Page>

/** A page may ask for something just as its journey ends: the route that answers it must not fail because the browser closes. */
const stopRoutes = async (context: BrowserContext) => {
  await Promise.all(context.pages().map((page) => page.unrouteAll({ behavior: 'ignoreErrors' })))
}

export const test = base.extend<{ watch: Watch; another: Another }>({
  another: async ({ browser }, use) => {
    const contexts: BrowserContext[] = []
    await use(async () => {
      const context = await browser.newContext()
      contexts.push(context)
      return context.newPage()
    })
    await Promise.all(contexts.map(stopRoutes))
    await Promise.all(contexts.map((context) => context.close()))
  },
  watch: [
    async ({ context, baseURL }, use) => {
      // The machine's network, not the page: another program made or removed an interface.
      const tolerated = [/ERR_NETWORK_CHANGED/]
      const problems: { text: string; where: string }[] = []
      const note = (text: string, where = '') => problems.push({ text, where })
      const follow = (page: Page) => {
        page.on('console', (message) => message.type() === 'error' && note(message.text(), message.location().url))
        page.on('pageerror', (error) => note(error.message))
      }
      context.on('page', follow)
      context.on('request', (request) => {
        const url = request.url()
        if (!url.startsWith(baseURL ?? '') && !/^(data|blob):/.test(url)) note('asked another site', url)
      })
      await use({ tolerate: (line) => tolerated.push(line) })
      await stopRoutes(context)
      // By its text alone: an address may hold any number.
      const unexpected = problems.filter(({ text }) => !tolerated.some((line) => line.test(text)))
      const told = unexpected.map(({ text, where }) => `${text} ${where}`)
      if (told.length > 0) throw new Error(`The browser reported:\n${told.join('\n')}`)
    },
    { auto: true },
  ],
})
