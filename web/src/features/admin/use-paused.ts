import { useEffect, useState } from 'react'

const TYPING_MS = 150

/** What was typed, once the typing pauses. */
export function usePaused(text: string) {
  const [paused, setPaused] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), TYPING_MS)
    return () => clearTimeout(timer)
  }, [text])
  return paused.trim()
}
