import { useRef, useState } from 'react'
import { ApiError } from './api-error'

/**
 * One act at a time: busy from the press until its promise settles, and a further press meanwhile does nothing. What
 * the act reports, the API client has already shown.
 */
export function useOnce() {
  const running = useRef(false)
  const [busy, setBusy] = useState(false)
  const run = (act: () => unknown): Promise<void> | undefined => {
    if (running.current) return
    const result = act()
    if (!(result instanceof Promise)) return
    running.current = true
    setBusy(true)
    return result
      .catch((cause: unknown) => {
        if (!(cause instanceof ApiError)) throw cause
      })
      .then(() => undefined)
      .finally(() => {
        running.current = false
        setBusy(false)
      })
  }
  return { busy, run }
}
