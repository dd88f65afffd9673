// Prints how pages do on a slow phone, over a product with the accounts of `make demo`: a processor four times slower and a
// network of 1.6 Mbit/s with 150 ms. Cold is with empty caches and a session, warm is the visit after it. The medians of
// three loads. `make bench BENCH_ARGS=web` prepares the data and calls it:
//   node scripts/slow-phone.mjs [http://localhost:8080]
import { chromium } from '@playwright/test'

const base = process.argv[2] ?? process.env.STACK_URL ?? 'http://localhost:8080'
const RUNS = Number(process.env.RUNS ?? 3)
const ONLY = process.env.PAGES?.split(',')
const NETWORK = { offline: false, latency: 150, downloadThroughput: 1_600_000 / 8, uploadThroughput: 750_000 / 8 }
const SLOWER = 4
const LONGEST_MS = 90_000
const PHONE = { viewport: { width: 360, height: 780 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2, baseURL: base }
const MEMBER = { email: 'demo@solvane.test', password: 'solvane-demo' }
const REVIEWER = { email: 'reviewer@solvane.test', password: 'solvane-local-staff' }

/** `has`: what the page shows once its figures stand, and no skeleton beside it. `act`: its main action, of one interaction. */
const pages = [
  { name: 'dashboard', has: ['section[aria-label="Available Balance"]', 'main a[href^="/transactions/"]'], act: (page) => page.getByRole('link', { name: 'Make Deposit' }).tap() },
  { name: 'transactions', has: ['main a[href^="/transactions/"]'], act: (page) => page.locator('label', { hasText: 'Credit' }).tap() },
  { name: 'transactions, 10,000 loaded', at: 'transactions', has: ['main a[href^="/transactions/"]'], before: loadAll, act: (page) => page.locator('label', { hasText: 'Credit' }).tap() },
  { name: 'transaction', link: ['/transactions', 'main a[href^="/transactions/"]'], has: ['main dl'], act: (page) => page.getByRole('button', { name: 'Open menu' }).tap() },
  { name: 'deposits', has: ['main input[name=method]'], act: (page) => page.locator('label', { hasText: 'ERC20' }).tap() },
  { name: 'withdrawals', has: ['main input[name=method]'], act: (page) => page.getByLabel('Amount').pressSequentially('1') },
  { name: 'investments', has: ['main [role=progressbar]', 'main figure'], act: (page) => page.getByRole('link', { name: 'Invest Now' }).tap() },
  { name: 'plans', at: 'investments/plans', has: ['main figure'], act: (page) => page.getByRole('link', { name: 'Click to Invest' }).first().tap() },
  { name: 'courses', has: ['main article', '#curriculum'], act: (page) => page.getByRole('link', { name: /Start the course|Start again|Continue/ }).tap() },
  { name: 'lesson', link: ['/courses', 'main a[href^="/courses/lessons/"]'], has: ['main article footer'], act: (page) => page.getByRole('button', { name: /Mark as done|Done/ }).tap() },
  { name: 'review', staff: true, link: ['/admin', 'main a[href^="/admin/review/"]'], has: ['main [aria-label="Checklist"]'], act: (page) => page.getByRole('button', { name: /Reject/ }).first().tap() },
  { name: 'queue', at: 'admin', staff: true, has: ['main a[href^="/admin/review/"]'], act: (page) => page.keyboard.press('j') },
].filter(({ name }) => !ONLY || ONLY.includes(name))

/** Reads older transactions until there are no more, without the slow network. */
async function loadAll(page, debug) {
  await debug.send('Network.emulateNetworkConditions', { ...NETWORK, latency: 0, downloadThroughput: -1, uploadThroughput: -1 })
  const more = page.getByRole('button', { name: 'Load older transactions' })
  while (await more.isVisible()) {
    await more.click()
    await page.waitForFunction(() => !document.querySelector('main button[aria-busy]'))
  }
}

/** Runs in the page: notes when its figures stand, its largest paint, and its longest interaction. */
function watch({ has }) {
  const seen = (window.seen = { stood: null, lcp: 0, interaction: 0, blocked: 0 })
  const stands = () => has.every((selector) => document.querySelector(selector)) && !document.querySelector('main .animate-pulse')
  const look = () => {
    if (!stands()) return requestAnimationFrame(look)
    seen.stood = performance.now()
    window.tellStood('')
  }
  requestAnimationFrame(look)
  const observe = (type, note, options) => new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type, buffered: true, ...options })
  observe('largest-contentful-paint', ({ startTime }) => (seen.lcp = startTime))
  observe('longtask', ({ duration }) => (seen.blocked += duration - 50))
  observe('event', ({ interactionId, duration }) => interactionId && (seen.interaction = Math.max(seen.interaction, duration)), { durationThreshold: 16 })
}

/** Every request that leaves the browser, with when it began and how many bytes came. */
async function countRequests(debug) {
  const requests = new Map()
  await debug.send('Network.enable')
  debug.on('Network.requestWillBeSent', ({ requestId, timestamp, request }) => {
    if (!/^(data|blob):/.test(request.url)) requests.set(requestId, { at: timestamp, url: request.url, bytes: 0, isOpen: true })
  })
  const local = ({ requestId }) => requests.has(requestId) && (requests.get(requestId).isLocal = true)
  debug.on('Network.requestServedFromCache', local)
  debug.on('Network.responseReceived', (event) => (event.response.fromDiskCache || event.response.fromServiceWorker) && local(event))
  debug.on('Network.dataReceived', ({ requestId, encodedDataLength }) => {
    const request = requests.get(requestId)
    if (request) request.bytes += encodedDataLength
  })
  const end = ({ requestId, encodedDataLength }) => {
    const request = requests.get(requestId)
    if (request) Object.assign(request, { isOpen: false, bytes: encodedDataLength ?? request.bytes })
  }
  debug.on('Network.loadingFinished', end)
  debug.on('Network.loadingFailed', end)
  return requests
}

async function load(context, { address, has, before, act }, isCold) {
  const page = await context.newPage()
  const debug = await context.newCDPSession(page)
  if (isCold) {
    await debug.send('Network.clearBrowserCache')
    await debug.send('Storage.clearDataForOrigin', { origin: new URL(base).origin, storageTypes: 'cache_storage,service_workers' })
  }
  const requests = await countRequests(debug)
  await debug.send('Network.emulateNetworkConditions', NETWORK)
  await debug.send('Emulation.setCPUThrottlingRate', { rate: SLOWER })
  await page.addInitScript(watch, { has })
  // The app's own record that the browser has the font is part of the caches.
  if (isCold) await page.addInitScript(() => localStorage.removeItem('font'))
  // Playwright would wait by a script of 330 kB, which the slow processor had to compile while the page loads.
  await debug.send('Runtime.enable')
  await debug.send('Runtime.addBinding', { name: 'tellStood' })
  const stood = new Promise((resolve, reject) => {
    debug.once('Runtime.bindingCalled', resolve)
    setTimeout(() => reject(new Error(`${address} does not stand`)), LONGEST_MS).unref()
  })
  await page.goto(address, { waitUntil: 'commit', timeout: LONGEST_MS })
  await stood
  await page.waitForTimeout(1_000)
  const { stood: stoodAt, lcp, blocked } = await page.evaluate(() => window.seen)
  const all = [...requests.values()]
  const sent = all.filter(({ at, isLocal }) => !isLocal && (at - all[0].at) * 1000 <= stoodAt)
  await waitUntil(() => sent.every(({ isOpen, url }) => !isOpen || url.endsWith('/events')))
  if (process.env.VERBOSE) for (const { at, url, bytes } of sent) console.error(Math.round((at - all[0].at) * 1000), bytes, url.replace(base, ''))
  // The browser may come back for the next page only when it is idle.
  await page.waitForTimeout(2_000)
  if (before) await before(page, debug)
  await page.evaluate(() => (window.seen.interaction = 0))
  await act(page)
  await page.waitForTimeout(1_000)
  const { interaction, rows } = await page.evaluate(() => ({ interaction: window.seen.interaction, rows: document.querySelectorAll('main *').length }))
  await page.close()
  return { lcp, stood: stoodAt, blocked, interaction, requests: sent.length, kb: sent.reduce((sum, { bytes }) => sum + bytes, 0) / 1000, nodes: rows }
}

async function waitUntil(done) {
  const limit = Date.now() + 15_000
  while (!done() && Date.now() < limit) await new Promise((resolve) => setTimeout(resolve, 50))
}

/** Puts the caches into the state after a visit: everything that comes when the browser is idle has come. */
async function visit(context, address) {
  const page = await context.newPage()
  await page.goto(address)
  await page.waitForTimeout(6_000)
  await page.close()
}

async function signedIn({ email, password }) {
  const context = await browser.newContext(PHONE)
  const page = await context.newPage()
  await page.goto('/login')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Login', exact: true }).click()
  await page.waitForURL(/dashboard|admin/)
  await page.close()
  return context
}

async function addressOf(context, { at, name, link }) {
  if (!link) return `/${at ?? name}`
  const [list, selector] = link
  const page = await context.newPage()
  await page.goto(list)
  const address = await page.locator(selector).first().getAttribute('href')
  await page.close()
  return address
}

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]
const columns = ['lcp', 'stood', 'blocked', 'interaction', 'requests', 'kb', 'nodes']

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
})
const contexts = { member: await signedIn(MEMBER), staff: await signedIn(REVIEWER) }
console.log('| page | caches | LCP (ms) | figures stand (ms) | blocked (ms) | INP (ms) | requests | kB | elements |')
console.log('|---|---|---|---|---|---|---|---|---|')
for (const one of pages) {
  const context = one.staff ? contexts.staff : contexts.member
  const address = await addressOf(context, one)
  for (const caches of ['cold', 'warm']) {
    if (caches === 'warm') await visit(context, address)
    const runs = []
    while (runs.length < RUNS) runs.push(await load(context, { ...one, address }, caches === 'cold'))
    const figures = columns.map((name) => Math.round(median(runs.map((run) => run[name]))))
    console.log(`| ${one.name} | ${caches} | ${figures.join(' | ')} |`)
  }
}
await browser.close()
