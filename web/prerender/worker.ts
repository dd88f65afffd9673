/**
 * The service worker of the member area: its page and files come from a cache, also without a network. A cache belongs to
 * one version, which is complete before any of it is used; a newer version waits until a member takes it, or until no tab
 * is open. Answers of the API are not cached here (`lib/last-data.ts` keeps the last ones). It also shows the notices that the
 * server sends to this device. `write-worker.mjs` prepends SHELL.
 */
type Shell = {
  version: string
  /** An address of the page, and the SHA-256 of what the server answers there. */
  page: string
  pageHash: string
  files: string[]
  /** Addresses that show the page, also those below them. */
  areas: string[]
}

/** The part of a worker's global scope that is used here; the types of the DOM do not have it. */
type Worker = {
  addEventListener: <Kind extends keyof Events>(kind: Kind, listener: (event: Events[Kind]) => void) => void
  skipWaiting: () => Promise<void>
  clients: {
    claim: () => Promise<void>
    matchAll: (options: { type: 'window'; includeUncontrolled: true }) => Promise<readonly Tab[]>
    openWindow: (url: string) => Promise<unknown>
  }
  registration: { showNotification: (title: string, options: NotificationOptions) => Promise<void> }
}
type Tab = { url: string; focus: () => Promise<unknown> }
type Extendable = { waitUntil: (work: Promise<unknown>) => void }
type Events = {
  install: Extendable
  activate: Extendable
  message: { data: unknown }
  fetch: { request: Request; respondWith: (response: Promise<Response>) => void }
  push: Extendable & { data: { json: () => unknown } | null }
  notificationclick: Extendable & { notification: { data: unknown; close: () => void } }
}
/** What the server writes for a device. */
type Push = { title: string; body?: string; path?: string; tag?: string }

declare const SHELL: Shell
const worker = self as unknown as Worker
const NOTICES = '/notices'
const PREFIX = 'shell-'
const CACHE = `${PREFIX}${SHELL.version}-${SHELL.pageHash.slice(0, 8)}`

worker.addEventListener('install', (event) => event.waitUntil(install()))
worker.addEventListener('activate', (event) => event.waitUntil(activate()))
worker.addEventListener('message', ({ data }) => {
  if (data === 'activate') void worker.skipWaiting()
})
worker.addEventListener('fetch', (event) => {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  if (request.method !== 'GET' || origin !== location.origin) return
  if (request.mode === 'navigate' ? isOfMembers(pathname) : pathname.startsWith('/assets/')) event.respondWith(answer(request))
})

// Browsers allow no message that is not shown.
worker.addEventListener('push', (event) => event.waitUntil(show(event.data)))
worker.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(open(event.notification.data))
})

async function install() {
  const cache = await caches.open(CACHE)
  const page = await fetch(SHELL.page, { cache: 'no-cache' })
  // While a release is rolled out, another server may answer with the page of another version.
  if (!page.ok || (await sha256(page.clone())) !== SHELL.pageHash) throw new Error('the page is not of this version')
  await cache.addAll(SHELL.files)
  await cache.put(SHELL.page, page)
}

/** The version before stays for the tabs that still show it. */
async function activate() {
  const others = (await caches.keys()).filter((name) => name.startsWith(PREFIX) && name !== CACHE)
  await Promise.all(others.slice(0, -1).map((name) => caches.delete(name)))
  await worker.clients.claim()
}

const isOfMembers = (pathname: string) => SHELL.areas.some((area) => pathname === area || pathname.startsWith(`${area}/`))

/** Files carry a hash in their names, so those of a version before are distinguished. */
async function answer(request: Request): Promise<Response> {
  const cached = request.mode === 'navigate' ? (await caches.open(CACHE)).match(SHELL.page) : caches.match(request)
  return (await cached) ?? fetch(request)
}

async function show(data: Events['push']['data']) {
  const { title, body, path, tag } = messageOf(data)
  await worker.registration.showNotification(title, { body, tag, data: path, icon: '/icon-192.png' })
}

function messageOf(data: Events['push']['data']): Push {
  try {
    const message = data?.json() as Push | undefined
    if (message?.title) return message
  } catch {
    // Shown as below.
  }
  return { title: 'You have a new notice' }
}

/** The tab that shows the page already, or a new one: another tab may hold a form that is not sent yet. */
async function open(path: unknown) {
  const wanted = new URL(typeof path === 'string' ? path : NOTICES, location.origin)
  const url = wanted.origin === location.origin ? wanted.href : location.origin + NOTICES
  const tabs = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true })
  await (tabs.find((tab) => tab.url === url)?.focus() ?? worker.clients.openWindow(url))
}

async function sha256(response: Response) {
  const digest = await crypto.subtle.digest('SHA-256', await response.arrayBuffer())
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

export {}
