import { useEffect } from 'react'

let shown: () => void

/** Settled when the first page stands, with everything that listens on it. */
export const firstPage = new Promise<void>((resolve) => (shown = resolve))

/** Rendered beside each page, so that its effect runs when the page is there. */
export function FirstPage() {
  useEffect(() => shown(), [])
  return null
}
