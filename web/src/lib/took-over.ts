import { useState, useSyncExternalStore } from 'react'

const never = () => () => undefined

/** True on a page that the build drew and this component took over: its visitor has been reading it already. */
export function useTookOver(): boolean {
  const isTakingOver = useSyncExternalStore(never, () => false, () => true)
  return useState(isTakingOver)[0]
}
