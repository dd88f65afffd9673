/**
 * The service worker of the member area: its page and files come from a cache, also without a network. A cache belongs to
 * one version, which is complete before any of it is used; a newer version waits until a member takes it, or until no tab
 * is open. Answers of the API are not cached here (`lib/last-data.ts` keeps the last ones). `write-worker.mjs` prepends
 * SHELL.
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
  clients: { claim: () => Promise<void> }
}
type Extendable = { waitUntil: (work: Promise<unknown>) => void }
type Events = {
  install: Extendable
  activate: Extendable
  message: { data: unknown }
  fetch: { request: Request; respondWith: (response: Promise<Response>) => void }
}

declare const SHELL: Shell
const worker = self as unknown as Worker
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

async function sha256(response: Response) {
  const digest = await crypto.subtle.digest('SHA-256', await response.arrayBuffer())
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

export {}
