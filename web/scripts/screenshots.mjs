// Writes every page, desktop and mobile, light and dark, to screenshots/ for a human to look at.
//   npm run build && npm run screenshots [-- part-of-a-name]
import { mkdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { chromium } from '@playwright/test'
import { preview } from 'vite'
import { answer, transactions, user } from '../e2e/support/fixtures.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const only = process.argv[2] ?? ''

const visitorPages = {
  landing: '/', 'ugc-course': '/ugc-course', terms: '/terms', privacy: '/privacy', 'not-found': '/nowhere',
  login: '/login', register: '/register', 'forgot-password': '/forgot-password',
  'reset-password': '/reset-password#token=abc', verify: '/verify?email=amara%40example.com',
}
const memberPages = {
  dashboard: '/dashboard', profile: '/profile', deposits: '/deposits', 'deposits-course': '/deposits?type=course&amount=87',
  withdrawals: '/withdrawals', transactions: '/transactions', 'transaction-withdrawal': `/transactions/${transactions[0].id}`,
  'transaction-deposit': `/transactions/${transactions[1].id}`, courses: '/courses', lesson: '/courses/lessons/m1-l1',
  investments: '/investments', plans: '/investments/plans', plan: '/investments/plans/plan-2', invest: '/investments/plans/add?planId=plan-2',
  'payment-methods': '/payment-methods', 'payment-methods-add': '/payment-methods/add', 'payment-methods-edit': '/payment-methods/pm-9/edit',
}
const screens = { desktop: { width: 1280, height: 860 }, mobile: { width: 360, height: 780 } }

/** The policy the gateway sends, so that a violation shows here first. */
const inline = JSON.parse(readFileSync(`${root}dist/inline.json`, 'utf8'))
const policyOf = (file) =>
  `default-src 'self'; img-src 'self' data: blob:; media-src 'self' blob:; style-src 'self' ${inline[file]['style-src']}; script-src 'self' ${inline[file]['script-src']}; connect-src 'self'; frame-src https://www.youtube-nocookie.com; frame-ancestors 'none'`

const server = await preview({
  root,
  logLevel: 'silent',
  preview: { port: 0, host: '127.0.0.1' },
})
const { port } = server.httpServer.address()
const base = `http://127.0.0.1:${port}`
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
})

/** Which file is the page of an address: as the gateway serves them. */
const pages = Object.entries(JSON.parse(readFileSync(`${root}dist/pages.json`, 'utf8'))).map(([address, file]) => ({
  matches: new RegExp(`^${address.replace(/\{\*\w+\}/g, '.+').replace(/\{\w+\}/g, '[^/]+')}$`),
  file,
}))

async function open(viewport, theme, signedIn) {
  const context = await browser.newContext({ viewport, deviceScaleFactor: 1, reducedMotion: 'reduce' })
  await context.addInitScript(
    ([chosen, session]) => {
      localStorage.setItem('theme', JSON.stringify({ state: { theme: chosen }, version: 0 }))
      if (session) localStorage.setItem('auth', JSON.stringify({ state: session, version: 0 }))
    },
    [theme, signedIn ? { user, token: 'fixture-token' } : null],
  )
  await context.route(`${base}/**`, (route) => {
    if (route.request().resourceType() !== 'document') return route.continue()
    const { pathname } = new URL(route.request().url())
    const file = pages.find(({ matches }) => matches.test(pathname))?.file ?? '404.html'
    const headers = { 'Content-Security-Policy': policyOf(file) }
    return route.fulfill({ contentType: 'text/html', headers, body: readFileSync(`${root}dist/${file}`, 'utf8') })
  })
  await context.route('**/v1/**', (route) => {
    const url = new URL(route.request().url())
    const body = answer(route.request().method(), url.pathname.replace('/v1', ''), url.searchParams)
    return body ? route.fulfill({ json: body }) : route.fulfill({ status: 404, json: { success: false, message: 'Not found' } })
  })
  return context
}

let problems = 0
for (const [screen, viewport] of Object.entries(screens)) {
  for (const theme of ['light', 'dark']) {
    for (const [signedIn, pages] of [[false, visitorPages], [true, memberPages]]) {
      const context = await open(viewport, theme, signedIn)
      for (const [name, path] of Object.entries(pages)) {
        if (!name.includes(only)) continue
        const page = await context.newPage()
        page.on('console', (message) => {
          if (message.type() === 'error' && !message.text().includes('404')) {
            problems++
            console.log(`${name} ${screen} ${theme}: ${message.text()}`)
          }
        })
        page.on('pageerror', (error) => {
          problems++
          console.log(`${name} ${screen} ${theme}: ${error.message}`)
        })
        await page.goto(base + path, { waitUntil: 'networkidle' })
        await page.waitForSelector('[data-font]')
        const wide = await page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth)
        if (wide) {
          problems++
          console.log(`${name} ${screen} ${theme}: scrolls sideways`)
        }
        const folder = `${root}screenshots/${screen}-${theme}`
        mkdirSync(folder, { recursive: true })
        await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true })
        await page.close()
      }
      await context.close()
    }
  }
}
await browser.close()
server.httpServer.close()
console.log(problems ? `${problems} problems` : 'no problems')
process.exit(problems ? 1 : 0)
