/** Pages that the build drew: what a visitor and a member see and can do before any of the app has come. */
import type { Page, Route } from '@playwright/test'
import { fillLogin, newMember, signedIn, signUp } from './support/stack'
import { expect, test } from './support/test'

const pages = {
  '/': /Film it/,
  '/ugc-course': /Brands buy the video/,
  '/terms': 'Terms of Service',
  '/privacy': 'Privacy Policy',
  '/nowhere': 'Page not found',
  '/login': 'Welcome Back',
  '/register': 'Create an Account',
  '/forgot-password': 'Forgot Password',
}
const APP = '**/assets/app-*.js'

/** Keeps the app from coming until it is let in. */
async function holdApp(page: Page) {
  let waiting: Route[] = []
  let isOpen = false
  await page.route(APP, (route) => (isOpen ? route.continue() : void waiting.push(route)))
  return async () => {
    isOpen = true
    // Some may have been asked for by a page that is gone.
    await Promise.allSettled(waiting.map((route) => route.continue()))
    waiting = []
  }
}

for (const theme of ['light', 'dark'] as const) {
  test(`each public page stands without the app and is taken over as it is, ${theme} [PUB-05]`, async ({ page, watch }) => {
    // The server answers an unknown page with 404, which the browser reports.
    watch.tolerate(/404/)
    await page.addInitScript((chosen) => localStorage.setItem('theme', JSON.stringify({ state: { theme: chosen }, version: 0 })), theme)
    for (const [path, title] of Object.entries(pages)) {
      const files: string[] = []
      const note = (request: { url: () => string }) => /\.(js|css)$/.test(request.url()) && files.push(request.url())
      page.on('request', note)
      await page.goto(path, { waitUntil: 'networkidle' })
      await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible()
      await expect(page.locator('html')).toHaveAttribute('data-theme', theme)
      expect(files, `${path} comes with all it needs to be read`).toEqual([])
      page.off('request', note)

      // The watch fails for what React reports when its own drawing differs.
      const drawn = await page.locator('#root').innerText()
      const app = page.waitForResponse(APP)
      await page.getByRole('link').first().dispatchEvent('pointerover')
      await (await app).finished()
      // What React has taken over carries its marks.
      await expect.poll(() => page.evaluate(() => Object.keys(document.querySelector('h1') ?? {}).length)).toBeGreaterThan(0)
      expect(await page.locator('#root').innerText()).toBe(drawn)
      await expect(page).toHaveTitle(/ · Solvane$/)
      await expect(page.locator('head > title')).toHaveCount(1)
    }
  })
}

test('a first visit is read in a font of the system, and changes to Inter where it stands [PUB-05]', async ({ page }) => {
  let letFontIn = () => {}
  const held = new Promise<void>((resolve) => (letFontIn = resolve))
  await page.route('**/*.woff2', async (route) => {
    await held
    await route.continue()
  })
  await page.addInitScript(() => {
    const seen = window as unknown as { shift: number }
    seen.shift = 0
    new PerformanceObserver((list) => {
      for (const { value } of list.getEntries() as (PerformanceEntry & { value: number })[]) seen.shift += value
    }).observe({ type: 'layout-shift', buffered: true })
  })
  await page.goto('/', { waitUntil: 'domcontentloaded' })
  const html = page.locator('html')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(html).not.toHaveAttribute('data-font')
  letFontIn()
  await expect(html).toHaveAttribute('data-font', 'inter')
  expect(await page.evaluate(() => document.fonts.check("1em 'Inter Variable'"))).toBe(true)
  expect(await page.evaluate(() => (window as unknown as { shift: number }).shift)).toBeLessThan(0.02)
  // The next page has it from its first paint on.
  await page.goto('/terms', { waitUntil: 'commit' })
  await expect(html).toHaveAttribute('data-font', 'inter')
})

test('what somebody else writes into a page does not run [D-S10]', async ({ page, watch }) => {
  watch.tolerate(/Content Security Policy/)
  await page.route('/login', async (route) => {
    const response = await route.fetch()
    const foreign = '<script>document.documentElement.dataset.foreign = "yes"</script><style>h1 { display: none }</style>'
    await route.fulfill({ response, body: (await response.text()).replace('</head>', `${foreign}</head>`) })
  })
  await page.goto('/login')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(page.locator('html')).toHaveAttribute('data-session', 'none')
  await expect(page.locator('html')).not.toHaveAttribute('data-foreign')
})

test('a press before the app has come counts once, and does not move the page [PUB-02] [NAV-04]', async ({ page }) => {
  const letIn = await holdApp(page)
  await page.goto('/ugc-course#gallery')
  await expect(page.getByRole('heading', { name: 'The six formats brands order' })).toBeInViewport()
  // Where no font has Inter's measures, the page has another height once the letters have changed.
  await expect(page.locator('html')).toHaveAttribute('data-font', 'inter')
  await page.getByRole('contentinfo').scrollIntoViewIfNeeded()
  const place = await page.evaluate(() => window.scrollY)
  await page.getByRole('button', { name: 'Switch between light and dark' }).click()
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'light')
  await letIn()
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')
  expect(await page.evaluate(() => window.scrollY)).toBe(place)
})

test('a form that is filled and sent before the app has come is sent once, and not by the browser [AUTH-03]', async ({ page }) => {
  const member = newMember()
  await signUp(page, member)
  await page.getByRole('button', { name: 'Logout' }).click()
  await expect(page).toHaveURL('/login')
  const letIn = await holdApp(page)
  await page.reload()
  await fillLogin(page, member)
  await expect(page).toHaveURL('/login')
  const sent: string[] = []
  page.on('request', (request) => request.method() === 'POST' && sent.push(new URL(request.url()).pathname))
  await letIn()
  await expect(page).toHaveURL('/dashboard')
  // The form also offers passkeys.
  expect(sent.filter((path) => path !== '/v1/auth/passkey/begin')).toEqual(['/v1/auth/login'])
})

test('a member sees the way to the dashboard, and no login, before the app has come [AUTH-02] [D-S2]', async ({ page }) => {
  await signedIn(page)
  const letIn = await holdApp(page)
  await page.goto('/', { waitUntil: 'domcontentloaded' })
  const header = page.getByRole('navigation', { name: 'Site' })
  await expect(header.getByRole('link', { name: 'Dashboard' })).toBeVisible()
  await expect(header.getByRole('link', { name: 'Sign up' })).toBeHidden()
  await page.goto('/login', { waitUntil: 'domcontentloaded' })
  await expect(page.getByText('A wallet that shows its work.')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Welcome Back' })).toBeHidden()
  await letIn()
  await expect(page).toHaveURL('/dashboard')
})

test('an unknown address answers 404 with a page [PUB-05]', async ({ request }) => {
  const answer = await request.get('/no/such/page')
  expect(answer.status()).toBe(404)
  expect(await answer.text()).toMatch(/<h1[^>]*>Page not found</)
})
