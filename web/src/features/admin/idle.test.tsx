import { act, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { IdleWarning } from './components/idle-warning'
import { wasLeftAlone } from './idle'

const MINUTE = 60_000
const pass = (ms: number) =>
  act(() => {
    vi.advanceTimersByTime(ms)
  })

/** What another tab of this browser does to the shared time of the last input. */
const inOtherTab = (at: number) =>
  act(() => {
    localStorage.setItem('staff-input-at', String(at))
    window.dispatchEvent(new StorageEvent('storage', { key: 'staff-input-at', newValue: String(at) }))
  })

describe('an unattended back office', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  function open() {
    const onIdle = vi.fn()
    render(<IdleWarning onIdle={onIdle} />)
    return onIdle
  }
  const warning = () => screen.queryByText(/You will be logged out in one minute/)

  it('is warned a minute before its 15 minutes are over, and then ends once [D-S4]', () => {
    const onIdle = open()
    pass(14 * MINUTE - 1)
    expect(warning()).toBeNull()
    pass(1)
    expect(warning()).toBeInTheDocument()
    pass(MINUTE - 1)
    expect(onIdle).not.toHaveBeenCalled()
    pass(1)
    expect(onIdle).toHaveBeenCalledOnce()
    expect(wasLeftAlone()).toBe(true)
    fireEvent.keyDown(window, { key: 'a' })
    pass(60 * MINUTE)
    expect(onIdle).toHaveBeenCalledOnce()
  })

  it.each(['pointerDown', 'pointerMove', 'keyDown', 'wheel', 'touchStart'] as const)('counts %s as somebody [D-S4]', (input) => {
    const onIdle = open()
    pass(13 * MINUTE)
    fireEvent[input](document.body)
    pass(14 * MINUTE - 1)
    expect(warning()).toBeNull()
    pass(MINUTE + 1)
    expect(onIdle).toHaveBeenCalledOnce()
  })

  it('goes on for whoever says so, and for nobody who only brushes the mouse [D-S4]', () => {
    const onIdle = open()
    pass(14 * MINUTE)
    fireEvent.pointerMove(document.body)
    expect(warning()).toBeInTheDocument()
    fireEvent.click(screen.getByRole('button', { name: 'Stay logged in' }))
    expect(warning()).toBeNull()
    pass(14 * MINUTE - 1)
    expect(warning()).toBeNull()
    expect(onIdle).not.toHaveBeenCalled()
    pass(MINUTE + 1)
    expect(onIdle).toHaveBeenCalledOnce()
  })

  it('is attended where any tab of the browser is [D-S4]', () => {
    const onIdle = open()
    pass(10 * MINUTE)
    inOtherTab(Date.now())
    pass(5 * MINUTE)
    expect(warning()).toBeNull()
    pass(9 * MINUTE)
    expect(warning()).toBeInTheDocument()
    inOtherTab(Date.now())
    expect(warning()).toBeNull()
    expect(onIdle).not.toHaveBeenCalled()
  })

  it('ends when a computer wakes up too late, whatever woke it [D-S4]', () => {
    const onIdle = open()
    vi.setSystemTime(Date.now() + 60 * MINUTE)
    fireEvent.pointerMove(document.body)
    expect(onIdle).toHaveBeenCalledOnce()
  })

  it('starts anew with the next login [D-S4]', () => {
    localStorage.setItem('staff-input-at', 'over')
    const onIdle = open()
    expect(wasLeftAlone()).toBe(false)
    pass(14 * MINUTE - 1)
    expect(warning()).toBeNull()
    expect(onIdle).not.toHaveBeenCalled()
  })
})
