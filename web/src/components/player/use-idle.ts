import { useCallback, useEffect, useState } from 'react'

const AFTER_MS = 3_000

/** Whether nothing was pressed or moved for a while; never while not `active`. */
export function useIdle(active: boolean) {
  const [isResting, setResting] = useState(false)
  const [stirred, setStirred] = useState(0)
  useEffect(() => {
    if (!active) return
    const timer = setTimeout(() => setResting(true), AFTER_MS)
    return () => clearTimeout(timer)
  }, [active, stirred])
  const stir = useCallback(() => {
    setResting(false)
    setStirred(performance.now())
  }, [])
  const rest = useCallback(() => setResting(true), [])
  return { isIdle: active && isResting, stir, rest }
}
