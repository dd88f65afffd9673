import { beforeEach, describe, expect, it, vi } from 'vitest'
import { start, useNewVersion } from './new-version'

/** The browser's side: a worker that answers for this page or not, and newer ones that come later. */
function browser({ controller }: { controller: object | null }) {
  const waiting = { postMessage: vi.fn() }
  const registration = Object.assign(new EventTarget(), { waiting: null as object | null, installing: null as EventTarget | null, update: vi.fn() })
  const workers = Object.assign(new EventTarget(), { controller, register: vi.fn(() => Promise.resolve(registration)) })
  const install = () => {
    registration.installing = new EventTarget()
    registration.dispatchEvent(new Event('updatefound'))
    registration.waiting = waiting
    registration.installing.dispatchEvent(new Event('statechange'))
  }
  return { workers: workers as unknown as ServiceWorkerContainer, waiting, install, change: () => workers.dispatchEvent(new Event('controllerchange')) }
}

const take = () => useNewVersion.getState().take

describe('a newer version', () => {
  beforeEach(() => {
    vi.useFakeTimers()
    useNewVersion.setState({ take: undefined })
    return () => vi.useRealTimers()
  })

  it('is offered once it is complete, and begins only when it is taken', async () => {
    const { workers, waiting, install } = browser({ controller: {} })
    await start(workers)
    expect(take()).toBeUndefined()
    install()
    expect(waiting.postMessage).not.toHaveBeenCalled()
    take()?.()
    expect(waiting.postMessage).toHaveBeenCalledWith('activate')
  })

  it('is none when the first worker of this browser begins', async () => {
    const { workers, install, change } = browser({ controller: null })
    await start(workers)
    install()
    change()
    expect(take()).toBeUndefined()
  })

  it('that another tab took is offered here, and does not take the page away', async () => {
    const { workers, change } = browser({ controller: {} })
    await start(workers)
    change()
    expect(take()).toBeDefined()
  })
})
