/**
 * Stands in the head of every page as it is, and runs before the first paint: it tells the styles the theme, the font
 * and whether somebody is signed in. A page that the build drew can be read without the app, its links lead on and its
 * fields can be filled, so the app comes when it is needed: for a session, or when somebody approaches a control.
 * Without imports, since there is no file of it; the build says in the script's attributes where the app is.
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

// A browser that has Inter shows it at once. Any other paints first, pictures too, and then changes the letters.
if (stored('font')['has']) {
  page.dataset['font'] = 'inter'
  void fetchFont()
} else {
  new PerformanceObserver((_, observer) => {
    observer.disconnect()
    setTimeout(() => void fetchFont(), 300)
  }).observe({ type: 'paint', buffered: true })
}

async function fetchFont() {
  const faces = await document.fonts.load("1em 'Inter Variable'").catch(() => [])
  if (!faces.length) return
  page.dataset['font'] = 'inter'
  try {
    localStorage.setItem('font', '{"state":{"has":true}}')
  } catch {
    // It is asked for again on the next page.
  }
}

const { app, styles, modules } = document.currentScript?.dataset ?? {}
/** A drawn page has what it shows of the styles in itself; all of them come with the app. */
const isDrawn = styles !== undefined
const parsed = new Promise((resolve) => document.addEventListener('DOMContentLoaded', resolve))

const CONTROLS = 'a, button, input, select, label'
/** A browser that fills a form by itself says `change`. */
const APPROACHES = ['pointerover', 'pointerdown', 'focusin', 'change'] as const

let started = false
/** What was pressed or sent before the app could answer; it is pressed again when the app is there. */
let held: HTMLElement | null = null

function start() {
  if (started || !app) return
  started = true
  for (const href of modules?.split(' ') ?? []) link('modulepreload', href)
  const code = import(app) as Promise<{ show: () => Promise<void> }>
  Promise.all([code, parsed, isDrawn && loaded(link('stylesheet', styles))])
    .then(([{ show }]) => show())
    .then(release, () => {
      // The code did not come: the next approach asks again, and who waits for an answer gets the page anew.
      started = false
      if (held) fetch('/', { method: 'HEAD' }).then(() => location.reload(), sayOffline)
    })
}

/** The browser's own error page would take the place of this one, and of what was typed. */
function sayOffline() {
  const note = document.createElement('p')
  note.role = 'alert'
  note.textContent = 'Network Error. Please check your connection.'
  note.style.cssText = 'position:fixed;bottom:0;background:Canvas'
  document.body.append(note)
  setTimeout(() => note.remove(), 4000)
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
}

if (!isDrawn || isSignedIn) start()
if (isDrawn) {
  document.addEventListener('click', hold, true)
  document.addEventListener('submit', hold, true)
  for (const type of APPROACHES) document.addEventListener(type, approach)
  // Somebody signed in meanwhile: in another tab, or on a page from which the way led back to this one.
  addEventListener('storage', ({ key }) => key !== 'font' && start())
  addEventListener('pageshow', ({ persisted }) => persisted && start())
}
