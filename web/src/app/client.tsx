/** The app's way onto the page: it takes over what the build drew, or draws everything itself. */
import { StrictMode } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { App } from './app'
import { firstPage } from './first-page'
import '@/lib/theme'

/** Resolves when the page answers to its visitor. */
export function show(root: HTMLElement): Promise<void> {
  const app = (
    <StrictMode>
      <App />
    </StrictMode>
  )
  if (root.hasChildNodes()) hydrateRoot(root, app)
  else createRoot(root).render(app)
  return firstPage
}
