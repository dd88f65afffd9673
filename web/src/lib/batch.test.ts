import { expect, it, vi } from 'vitest'
import { batched } from './batch'

it('asks once for what is asked together, each once, and gives everybody their own [INV-01]', async () => {
  const ask = vi.fn((ids: string[]) => Promise.resolve(ids.map((id) => `course of ${id}`)))
  const course = batched(100, ask)
  expect(await Promise.all(['a', 'b', 'a'].map(course))).toEqual(['course of a', 'course of b', 'course of a'])
  expect(ask.mock.calls).toEqual([[['a', 'b']]])
  expect(await course('c')).toBe('course of c')
  expect(ask).toHaveBeenCalledTimes(2)
})

it('asks for no more at a time than the server takes', async () => {
  const ask = vi.fn((ids: string[]) => Promise.resolve(ids.map(Number)))
  const one = batched(100, ask)
  const ids = Array.from({ length: 250 }, (_, index) => String(index))
  expect(await Promise.all(ids.map(one))).toEqual(ids.map(Number))
  expect(ask.mock.calls.map(([part]) => part.length)).toEqual([100, 100, 50])
})

it('fails for all who asked when the request fails, and works again afterwards', async () => {
  const ask = vi.fn((ids: string[]) => Promise.resolve(ids)).mockRejectedValueOnce(new Error('no network'))
  const one = batched(100, ask)
  const both = await Promise.allSettled([one('a'), one('b')])
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await one('a')).toBe('a')
})
