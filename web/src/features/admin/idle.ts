/** The time of the last activity in the back office, in any tab of this browser. */
import { useEffect, useEffectEvent, useState } from 'react'

/** What the server lets a session of staff lie unused; an open page keeps asking, so here only input counts [D-S4]. */
const IDLE_MS = 15 * 60_000
const WARN_AT_MS = IDLE_MS - 60_000
const NOTED_EVERY_MS = 1_000

/** The time of the last input, or `OVER`; shared by all tabs. */
const KEY = 'staff-input-at'
const OVER = 'over'

const inputs = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart'] as const

const lastInput = () => Number(localStorage.getItem(KEY)) || undefined
const noteInput = () => localStorage.setItem(KEY, String(Date.now()))
const idleMs = () => Date.now() - (lastInput() ?? Date.now())

/** Whether the last session of this browser ended because of inactivity. */
export const wasLeftAlone = () => localStorage.getItem(KEY) === OVER

/** Calls back after enough inactivity. A minute before it warns; then only `stay` puts it off. */
export function useIdle(onIdle: () => void) {
  const [isWarning, setWarning] = useState(false)
  const end = useEffectEvent(onIdle)

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>
    const look = () => {
      clearTimeout(timer)
      const idle = idleMs()
      if (idle >= IDLE_MS) {
        stop()
        localStorage.setItem(KEY, OVER)
        end()
        return
      }
      setWarning(idle >= WARN_AT_MS)
      timer = setTimeout(look, (idle < WARN_AT_MS ? WARN_AT_MS : IDLE_MS) - idle)
    }
    // The touch that wakes a computer up says nothing about who sat there before: it must not outrun the timer.
    const touched = () => {
      if (idleMs() >= WARN_AT_MS) look()
      else if (Math.abs(Date.now() - (lastInput() ?? 0)) >= NOTED_EVERY_MS) noteInput()
    }
    const heard = ({ key }: StorageEvent) => {
      if (key === KEY) look()
    }
    const stop = () => {
      clearTimeout(timer)
      for (const name of inputs) window.removeEventListener(name, touched, true)
      window.removeEventListener('storage', heard)
      document.removeEventListener('visibilitychange', look)
    }
    // It takes a hand to open the page.
    noteInput()
    look()
    for (const name of inputs) window.addEventListener(name, touched, { capture: true, passive: true })
    window.addEventListener('storage', heard)
    document.addEventListener('visibilitychange', look)
    return stop
  }, [])

  const stay = () => {
    if (wasLeftAlone()) return
    noteInput()
    setWarning(false)
  }
  return { isWarning, stay }
}
