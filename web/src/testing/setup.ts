/** What every component test stands on: matchers, a fake API, and the parts of a browser that jsdom lacks. */
import '@testing-library/jest-dom/vitest'
import { cleanup, configure } from '@testing-library/react'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { queryClient } from '@/lib/query-client'
import { endSession } from '@/lib/session'
import { server } from './server'

// Pages and validators are loaded when first needed, which takes a moment on a busy machine.
configure({ asyncUtilTimeout: 8_000 })

window.matchMedia ??= ((query: string) => ({
  matches: false,
  media: query,
  addEventListener: () => undefined,
  removeEventListener: () => undefined,
})) as unknown as typeof window.matchMedia
window.scrollTo = () => undefined
HTMLDialogElement.prototype.showModal ??= function showModal(this: HTMLDialogElement) {
  this.open = true
}
HTMLDialogElement.prototype.close ??= function close(this: HTMLDialogElement) {
  this.open = false
}

beforeAll(() => server.listen({ onUnhandledRequest: 'error' }))
afterEach(async () => {
  cleanup()
  server.resetHandlers()
  queryClient.clear()
  endSession()
  localStorage.clear()
  sessionStorage.clear()
  window.history.replaceState(null, '', '/')
  const { toast } = await import('react-toastify/unstyled')
  toast.dismiss()
})
afterAll(() => server.close())
