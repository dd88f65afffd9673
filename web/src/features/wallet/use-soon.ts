import { useEffect, useState } from 'react'

const EACH_MS = 15_000

/** A moment this many milliseconds from now, however long the page stays open. */
export function useSoon(withinMs: number): Date {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), EACH_MS)
    return () => clearInterval(timer)
  }, [])
  return new Date(now + withinMs)
}
