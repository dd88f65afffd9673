import { afterEach, expect, it, vi } from 'vitest'
import { takeFirstData } from './first-data'

afterEach(() => {
  delete window.earlyAnswers
  vi.useRealTimers()
})

const asked = (...paths: string[]) => {
  window.earlyAnswers = { userId: 'm1', askedAt: Date.now(), byPath: new Map(paths.map((path) => [path, Promise.resolve(Response.json({}))])) }
}

it('the first page takes over what its head asked for, and asks for nothing else', async () => {
  asked('/courses')
  const [course, trades] = [vi.fn(() => Promise.resolve()), vi.fn(() => Promise.resolve())]
  await takeFirstData({ '/courses': course, '/trades': trades })
  expect(course).toHaveBeenCalledOnce()
  expect(trades).not.toHaveBeenCalled()
})

it('a page does not wait long for its data, nor fails with it', async () => {
  asked('/courses', '/trades')
  vi.useFakeTimers()
  const taken = takeFirstData({ '/courses': () => new Promise(() => {}), '/trades': () => Promise.reject(new Error('lost')) })
  await vi.advanceTimersByTimeAsync(150)
  await expect(taken).resolves.toBeUndefined()
})
