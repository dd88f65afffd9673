import { useSyncExternalStore } from 'react'

/** List and detail stand side by side from here on. */
export const SIDE_BY_SIDE = '(min-width: 1440px)'

/** Whether a media query holds. */
export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (changed) => {
      const media = window.matchMedia(query)
      media.addEventListener('change', changed)
      return () => media.removeEventListener('change', changed)
    },
    () => window.matchMedia(query).matches,
  )
}
