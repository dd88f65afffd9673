/** What every component test stands on: matchers, a fake API, and the parts of a browser that jsdom lacks. */
import './operator'
import '@testing-library/jest-dom/vitest'
import { cleanup, configure } from '@testing-library/react'
import { toast } from 'react-toastify/unstyled'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { queryClient } from '@/lib/query-client'
import { endSession } from '@/lib/session'
import { server } from './server'

// Pages and validators are loaded when first needed, which takes a moment on a busy machine.
configure({ asyncUtilTimeout: 30_000 })

const missing = (target: object, parts: Record<string, unknown>) => {
  for (const [name, part] of Object.entries(parts)) {
    if (typeof Reflect.get(target, name) !== 'function') Object.defineProperty(target, name, { value: part, configurable: true, writable: true })
  }
}

missing(window, {
  matchMedia: (media: string) => ({ matches: false, media, addEventListener: () => undefined, removeEventListener: () => undefined }),
})
window.scrollTo = () => undefined
missing(Element.prototype, { scrollIntoView: () => undefined })
missing(window, { createImageBitmap: () => Promise.resolve({ width: 1, height: 1, close: () => undefined }) })
missing(HTMLDialogElement.prototype, {
  showModal(this: HTMLDialogElement) {
    this.open = true
  },
  close(this: HTMLDialogElement) {
    this.open = false
  },
})

missing(Blob.prototype, {
  text(this: Blob) {
    return new Promise((resolve) => {
      const reader = new FileReader()
      reader.onload = () => resolve(reader.result)
      reader.readAsText(this)
    })
  },
})

// The fake API answers with Node's own blobs, of which jsdom's cannot be made.
Response.prototype.blob = async function (this: Response) {
  return new Blob([await this.arrayBuffer()], { type: this.headers.get('content-type') ?? '' })
}

beforeAll(() => server.listen({ onUnhandledRequest: 'error' }))
afterEach(() => {
  cleanup()
  server.resetHandlers()
  queryClient.clear()
  endSession()
  localStorage.clear()
  sessionStorage.clear()
  window.history.replaceState(null, '', '/')
  // What no page showed waits for the next one.
  toast.dismiss()
})
afterAll(() => server.close())
