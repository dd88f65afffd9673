/**
 * The first script of every page. A page that the build drew can be read without the app, its links lead on and its
 * fields can be filled, so the app comes when it is needed: for a session, or when somebody approaches a control.
 */
import { loadDrawnPage } from './app/drawn-pages'
import './app/app.css'

const root = document.getElementById('root')
if (!root) throw new Error('the page has no #root')

const isDrawn = root.hasChildNodes()
const isSignedIn = document.documentElement.dataset['session'] === 'open'

const CONTROLS = 'a, button, input, select, label'
/** A browser that fills a form by itself says `change`. */
const APPROACHES = ['pointerover', 'pointerdown', 'focusin', 'change'] as const

let started = false
/** What was pressed or sent before the app could answer; it is pressed again when the app is there. */
let held: HTMLElement | null = null

function start() {
  if (started || !root) return
  started = true
  const page = isDrawn ? loadDrawnPage(location.pathname) : undefined
  Promise.all([import('./app/client'), page])
    .then(([{ show }]) => show(root))
    .then(release, () => {
      // The code did not come: the next approach asks again, and who waits for an answer gets the page anew.
      started = false
      if (held) location.reload()
    })
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
  addEventListener('storage', start)
  addEventListener('pageshow', ({ persisted }) => persisted && start())
}
