import { QueryClient } from '@tanstack/react-query'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { keepLastData, recallLastData } from '@/lib/last-data'
import { queryKeys } from '@/lib/query-keys'
import { endSession, followOtherTabs, startSession } from '@/lib/session'
import { member } from '@/testing/server'

/** The storage of a browser, which jsdom lacks. */
let stores: Map<string, Map<string, string>>

beforeEach(() => {
  stores = new Map()
  vi.useFakeTimers()
  vi.stubGlobal('caches', {
    open: (name: string) => {
      const store = stores.get(name) ?? new Map<string, string>()
      stores.set(name, store)
      return Promise.resolve({
        put: async (key: string, response: Response) => void store.set(key, await response.text()),
        match: (key: string) => Promise.resolve(store.has(key) ? new Response(store.get(key)) : undefined),
      })
    },
    delete: (name: string) => Promise.resolve(stores.delete(name)),
  })
  startSession(member, 'token')
  return () => {
    vi.useRealTimers()
    vi.unstubAllGlobals()
  }
})

/** A page that got these answers, which are written down after a moment. */
async function saw(answers: [readonly unknown[], unknown][]) {
  const client = new QueryClient()
  const stop = keepLastData(client)
  for (const [key, data] of answers) client.setQueryData(key, data)
  await vi.advanceTimersByTimeAsync(2_000)
  stop()
}

async function recalled() {
  const client = new QueryClient()
  await recallLastData(client)
  return client
}

describe('what a member saw last', () => {
  it('is there again, as old as it is, without the token', async () => {
    const at = Date.now()
    await saw([[queryKeys.session, { user: member, token: 'secret' }], [queryKeys.trades, ['a trade']]])
    vi.setSystemTime(at + 3_600_000)
    const client = await recalled()
    expect(client.getQueryData(queryKeys.session)).toEqual({ user: member })
    expect(client.getQueryData(queryKeys.trades)).toEqual(['a trade'])
    expect(client.getQueryState(queryKeys.trades)?.dataUpdatedAt).toBe(at)
    expect(JSON.stringify([...(stores.get('last-data')?.values() ?? [])])).not.toContain('secret')
  })

  it('is the first page of a list, and nothing of the back office', async () => {
    await saw([[queryKeys.transactions, { pages: ['first', 'second'], pageParams: [null, 'cursor'] }], [['admin', 'queue'], 'of others']])
    const client = await recalled()
    expect(client.getQueryData(queryKeys.transactions)).toEqual({ pages: ['first'], pageParams: [null] })
    expect(client.getQueryCache().getAll()).toHaveLength(1)
  })

  it('does not replace what the server answered meanwhile', async () => {
    await saw([[queryKeys.trades, 'old']])
    await vi.advanceTimersByTimeAsync(1_000)
    const client = new QueryClient()
    client.setQueryData(queryKeys.trades, 'new')
    await recallLastData(client)
    expect(client.getQueryData(queryKeys.trades)).toBe('new')
  })

  it('goes when another tab logs in as somebody else [ASVS 14.3.1]', async () => {
    await saw([[queryKeys.trades, 'of Amara']])
    const stop = followOtherTabs(() => undefined)
    const other = { ...member, id: '0193f1c2-7a51-4e0a-9b7a-000000000000' }
    const newValue = JSON.stringify({ state: { user: other, token: 'token' }, version: 0 })
    localStorage.setItem('auth', newValue)
    window.dispatchEvent(new StorageEvent('storage', { key: 'auth', newValue }))
    stop()
    expect(stores.has('last-data')).toBe(false)
  })

  it('is shown to nobody else, and is not kept for staff', async () => {
    await saw([[queryKeys.trades, 'of Amara']])
    startSession({ ...member, id: '0193f1c2-7a51-4e0a-9b7a-000000000000' }, 'token')
    expect((await recalled()).getQueryCache().getAll()).toHaveLength(0)
    startSession({ ...member, role: 'reviewer' }, 'token')
    stores.clear()
    await saw([[queryKeys.trades, 'of a member']])
    expect(stores.size).toBe(0)
  })

  it('is forgotten with the session [AUTH-13]', async () => {
    await saw([[queryKeys.trades, 'of Amara']])
    endSession({ left: true })
    expect(stores.size).toBe(0)
    startSession(member, 'token')
    expect((await recalled()).getQueryCache().getAll()).toHaveLength(0)
  })

  it('is not kept by a page that waited with it while the member logged out elsewhere', async () => {
    const client = new QueryClient()
    const stop = keepLastData(client)
    client.setQueryData(queryKeys.trades, 'of Amara')
    endSession({ left: true })
    await vi.advanceTimersByTimeAsync(2_000)
    stop()
    expect(stores.size).toBe(0)
  })

  it('is dropped after a week, the longest that a session lives, and with another version', async () => {
    await saw([[queryKeys.trades, 'old']])
    vi.setSystemTime(Date.now() + 8 * 86_400_000)
    expect((await recalled()).getQueryData(queryKeys.trades)).toBeUndefined()
    await saw([[queryKeys.trades, 'of this version']])
    const script = Object.assign(document.createElement('script'), { type: 'text/plain' })
    script.dataset['app'] = '/assets/app-2.js'
    document.head.append(script)
    expect((await recalled()).getQueryData(queryKeys.trades)).toBeUndefined()
    script.remove()
  })
})
