/**
 * Inlined into the head of every page, and run before the first paint: passes the styles the theme, the font and whether
 * there is a session. A prerendered page can be read, its links followed and its fields filled without the app, so the
 * app is loaded when it is needed: for a session, or when the visitor approaches a control. It can import nothing; the
 * attributes of the script tag say where the app is.
 */
const page = document.documentElement

function stored(key: string): Record<string, unknown> {
  try {
    return (JSON.parse(localStorage.getItem(key) ?? 'null') as { state: Record<string, unknown> } | null)?.state ?? {}
  } catch {
    // No storage or a broken value: the default stands.
    return {}
  }
}

let { theme } = stored('theme')
if (theme === 'system') theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
page.dataset['theme'] = theme === 'dark' ? 'dark' : 'light'

const isSignedIn = Boolean(stored('auth')['token'])
page.dataset['session'] = isSignedIn ? 'open' : 'none'

/** Without the font or a storage, the next page tries again. */
function bringFont() {
  document.fonts
    .load("1em 'Inter Variable'")
    .then(([face]) => {
      if (!face) return
      page.dataset['font'] = 'inter'
      localStorage.setItem('font', '{"state":{"has":true}}')
    })
    .catch(() => undefined)
}

const { app, styles, modules, member, areas } = document.currentScript?.dataset ?? {}
/** A prerendered page carries the styles that it uses; the app brings the rest. */
const isPrerendered = styles !== undefined

// A browser that has Inter cached uses it at once. Any other paints first, and swaps the font afterwards; a page that is
// empty without the app waits for it, because its files are more urgent.
const hasFont = Boolean(stored('font')['has'])
if (hasFont) {
  page.dataset['font'] = 'inter'
  bringFont()
} else if (isPrerendered) {
  new PerformanceObserver((_, observer) => {
    observer.disconnect()
    setTimeout(bringFont, 300)
  }).observe({ type: 'paint', buffered: true })
}

const parsed = new Promise((resolve) => document.addEventListener('DOMContentLoaded', resolve))

const CONTROLS = 'a, button, input, select, label'
/** A browser that fills a form by itself says `change`. */
const APPROACHES = ['pointerover', 'pointerdown', 'focusin', 'change'] as const

let started = false
/** The control that was used before the app was ready; it is used again once the app is there. */
let held: HTMLElement | null = null

function start() {
  if (started || !app) return
  started = true
  for (const href of [modules, isSignedIn && member, isSignedIn && areaOf(location.pathname)]) {
    if (href) for (const file of href.split(' ')) link('modulepreload', file)
  }
  const code = import(app) as Promise<{ show: () => Promise<void> }>
  Promise.all([code, parsed, isPrerendered && loaded(link('stylesheet', styles))])
    .then(([{ show }]) => show())
    .then(release, () => {
      // The app could not be loaded: the next approach retries, and a visitor who waits gets the page reloaded.
      started = false
      if (held) fetch('/', { method: 'HEAD' }).then(() => location.reload(), sayOffline)
    })
}

/** A reload while offline would lose the page and what was typed. */
function sayOffline() {
  const note = document.createElement('p')
  note.role = 'alert'
  note.textContent = 'Network Error. Please check your connection.'
  note.style.cssText = 'position:fixed;bottom:0;background:Canvas'
  document.body.append(note)
  setTimeout(() => note.remove(), 4000)
}

/** The files of the page at an address, which would otherwise be asked for once the app has started. */
function areaOf(address: string) {
  const fitting = areas?.split(' ').filter((area) => address.startsWith(area.split(',', 1)[0] ?? area))
  return fitting?.sort((one, other) => other.length - one.length)[0]?.split(',').slice(1).join(' ')
}

function link(rel: string, href: string) {
  const element = Object.assign(document.createElement('link'), { rel, href })
  document.head.append(element)
  return element
}

function loaded(element: HTMLLinkElement) {
  return new Promise((onload, onerror) => Object.assign(element, { onload, onerror }))
}

function approach({ target }: Event) {
  if (target instanceof Element && target.closest(CONTROLS)) start()
}

function hold(event: Event) {
  if (!(event.target instanceof Element)) return
  const control = event.target.closest<HTMLElement>(event.type === 'submit' ? 'form' : 'button:not([type=submit])')
  if (!control) return
  event.preventDefault()
  event.stopPropagation()
  held = control
  start()
}

function release() {
  document.removeEventListener('click', hold, true)
  document.removeEventListener('submit', hold, true)
  for (const type of APPROACHES) document.removeEventListener(type, approach)
  if (held instanceof HTMLFormElement) held.requestSubmit()
  else held?.click()
  if (hasFont || isPrerendered) return
  // Once the figures stand; a page that has none does not say so.
  setTimeout(bringFont, 3_000)
  document.addEventListener('stands', bringFont)
}

// Files from a cache are compiled as soon as they are named, and what is asked for would wait for that.
if (!isPrerendered || isSignedIn) void Promise.resolve(window.earlyAnswers?.sent).then(start)
if (isPrerendered) {
  document.addEventListener('click', hold, true)
  document.addEventListener('submit', hold, true)
  for (const type of APPROACHES) document.addEventListener(type, approach)
  // A session began elsewhere: in another tab, or before the visitor came back to this page.
  addEventListener('storage', ({ key }) => key !== 'font' && start())
  addEventListener('pageshow', ({ persisted }) => persisted && start())
}
