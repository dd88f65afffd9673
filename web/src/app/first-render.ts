import { useEffect } from 'react'

let shown: () => void

/** Resolves when the first page is rendered and interactive. */
export const firstRender = new Promise<void>((resolve) => (shown = resolve))

/** Rendered beside each page, so that its effect runs when the page is there. */
export function FirstRender() {
  useEffect(() => shown(), [])
  return null
}
