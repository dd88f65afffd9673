import { QueryClient } from '@tanstack/react-query'
import { renderHook } from '@testing-library/react'
import { act } from 'react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'

beforeEach(() => {
  vi.useFakeTimers()
  // Each test is a visit of its own.
  vi.resetModules()
})

afterEach(() => vi.useRealTimers())

const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms))

async function visit() {
  const { usePageStands, watchPage } = await import('./page-stands')
  const client = new QueryClient()
  const heard = vi.fn()
  document.addEventListener('stands', heard, { once: true })
  const { result } = renderHook(() => usePageStands())
  watchPage(client)
  return { client, heard, stands: () => result.current }
}

it('stands once what was asked for is there, and what follows from it', async () => {
  const { client, heard, stands } = await visit()
  const answer = (ms: number) => new Promise((resolve) => setTimeout(() => resolve(ms), ms))
  void client.fetchQuery({ queryKey: ['trades'], queryFn: () => answer(1_000) })
  await pass(1_100)
  void client.fetchQuery({ queryKey: ['values'], queryFn: () => answer(1_000) })
  await pass(1_100)
  expect([stands(), heard.mock.calls.length]).toEqual([false, 0])
  await pass(200)
  expect([stands(), heard.mock.calls.length]).toEqual([true, 1])
})

it('does not wait for what hangs', async () => {
  const { client, stands } = await visit()
  void client.fetchQuery({ queryKey: ['hangs'], queryFn: () => new Promise(() => undefined) })
  await pass(4_900)
  expect(stands()).toBe(false)
  await pass(200)
  expect(stands()).toBe(true)
})

it('without a network it stands once that is back: what comes later could not be loaded', async () => {
  const { stands } = await visit()
  const { noteCall } = await import('./connection')
  noteCall({ answered: false })
  await pass(6_000)
  expect(stands()).toBe(false)
  noteCall({ answered: true })
  await pass(300)
  expect(stands()).toBe(true)
})
