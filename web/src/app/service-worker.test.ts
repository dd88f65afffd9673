import { beforeEach, describe, expect, it, vi } from 'vitest'

type Listener = (event: object) => void

/** The global scope of the worker, and what it does. */
async function worker(tabs: { url: string; focus: () => Promise<unknown> }[] = []) {
  const listeners = new Map<string, Listener>()
  const scope = {
    addEventListener: (kind: string, listener: Listener) => listeners.set(kind, listener),
    registration: { showNotification: vi.fn(() => Promise.resolve()) },
    clients: { matchAll: () => Promise.resolve(tabs), openWindow: vi.fn(() => Promise.resolve()) },
  }
  vi.stubGlobal('self', scope)
  vi.stubGlobal('SHELL', { version: '1', page: '/dashboard', pageHash: 'abcdefgh', files: [], areas: [] })
  vi.resetModules()
  await import('../../prerender/worker')
  const happens = async (kind: string, event: object) => {
    let work: Promise<unknown> | undefined
    listeners.get(kind)?.({ ...event, waitUntil: (promise: Promise<unknown>) => (work = promise) })
    await work
  }
  const press = async (data: unknown) => {
    const close = vi.fn()
    await happens('notificationclick', { notification: { data, close } })
    expect(close).toHaveBeenCalledOnce()
  }
  return { happens, press, shown: scope.registration.showNotification, opened: scope.clients.openWindow }
}

const { origin } = location

describe('a notice on this device', () => {
  beforeEach(() => () => vi.unstubAllGlobals())

  it('is shown as the server wrote it, one for each event [D-M7]', async () => {
    const { happens, shown } = await worker()
    const message = { title: 'Your deposit is confirmed', body: 'It was added to your balance.', path: '/transactions/t-1', tag: 'n-1' }
    await happens('push', { data: { json: () => message } })
    const options = { body: message.body, tag: 'n-1', data: '/transactions/t-1', icon: '/icon-192.png' }
    expect(shown).toHaveBeenCalledExactlyOnceWith(message.title, options)
  })

  it('is shown even if it cannot be read, because browsers allow none that is not [D-M7]', async () => {
    const { happens, shown } = await worker()
    const broken = () => {
      throw new SyntaxError('no JSON')
    }
    for (const data of [null, { json: broken }, { json: () => ({}) }]) await happens('push', { data })
    expect(shown.mock.calls.map(([title]: unknown[]) => title)).toEqual(Array(3).fill('You have a new notice'))
  })

  it('opens its page, or the tab that shows it already [D-M7]', async () => {
    const other = { url: `${origin}/withdrawals`, focus: vi.fn(() => Promise.resolve()) }
    const same = { url: `${origin}/investments`, focus: vi.fn(() => Promise.resolve()) }
    const { press, opened } = await worker([other, same])
    await press('/investments')
    expect([same.focus.mock.calls.length, opened.mock.calls.length]).toEqual([1, 0])
    await press('/transactions/t-1')
    expect(opened).toHaveBeenCalledExactlyOnceWith(`${origin}/transactions/t-1`)
    expect(other.focus).not.toHaveBeenCalled()
  })

  it('leads nowhere else than to this site [D-M7]', async () => {
    const { press, opened } = await worker()
    for (const path of ['https://evil.example/a', '//evil.example/a', 'javascript:alert(1)', undefined]) await press(path)
    expect(opened.mock.calls.map(([url]: unknown[]) => url)).toEqual(Array(4).fill(`${origin}/notices`))
  })
})
