import { afterEach, expect, it, vi } from 'vitest'
import { offerDeviceKey } from './device-key'
import { dropDraft, readDraft, writeDraft } from './draft'
import { shareWork } from './tabs'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

it('a draft is nothing where the storage is forbidden, and never an error [D-G4]', () => {
  const refuse = () => {
    throw new DOMException('denied', 'SecurityError')
  }
  vi.stubGlobal('sessionStorage', { getItem: refuse, setItem: refuse, removeItem: refuse })
  writeDraft('deposit', { amount: '5' })
  expect(readDraft('deposit')).toEqual({})
  expect(() => dropDraft('deposit')).not.toThrow()
})

it('a session is not bound where IndexedDB never answers, after two seconds [D-A10]', async () => {
  vi.stubGlobal('indexedDB', { open: () => ({}) })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const offered = offerDeviceKey()
  const advancing = setInterval(() => vi.advanceTimersByTime(1_000), 5)
  expect(await offered).toBeUndefined()
  clearInterval(advancing)
})

it('without channels each tab works for itself [D-D1]', async () => {
  vi.stubGlobal('BroadcastChannel', undefined)
  const stop = await new Promise<() => void>((resolve) => {
    const leave = shareWork({
      name: 'test',
      onSaid: () => undefined,
      work: async ({ say }) => {
        say('heard by nobody')
        await Promise.resolve()
        resolve(() => leave())
      },
    })
  })
  stop()
})
