/** The entry point: hydrates a prerendered page, or renders the app. */
import { StrictMode } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { App, loadFirst } from './app'
import { firstRender } from './first-render'
import '@/lib/theme'
import { isTranslated, tolerateTranslation } from '@/lib/translated-pages'
import './app.css'

/** Resolves when the page is interactive. */
export async function show(): Promise<void> {
  const root = document.getElementById('root')
  if (!root) throw new Error('the page has no #root')
  tolerateTranslation()
  const app = (
    <StrictMode>
      <App />
    </StrictMode>
  )
  if (isTranslated(root)) {
    // Nothing of it is as React would draw it.
    const [{ typedIn, typeIn }] = await Promise.all([import('@/lib/typed-fields'), loadFirst()])
    const typed = typedIn(root)
    root.replaceChildren()
    createRoot(root).render(app)
    await firstRender
    typeIn(root, typed)
  } else if (root.hasChildNodes()) {
    await loadFirst()
    hydrateRoot(root, app)
  } else {
    // The app tries again, and says so.
    await loadFirst().catch(() => undefined)
    createRoot(root).render(app)
  }
  return firstRender
}

// A built page has the fonts in its head, and the script there decides when the app comes.
if (import.meta.env.DEV) void import('./fonts.css').then(show)
