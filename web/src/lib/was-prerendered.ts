import { useState, useSyncExternalStore } from 'react'

const never = () => () => undefined

/** True if the page was prerendered and this component hydrated it: the visitor has been reading it already. */
export function useWasPrerendered(): boolean {
  const isHydrating = useSyncExternalStore(never, () => false, () => true)
  return useState(isHydrating)[0]
}
