import { useEffect, useState } from 'react'

/** The time, renewed every few seconds, for ages on the screen. */
export function useNow(everyMs = 10_000) {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return now
}
