import { useSyncExternalStore } from 'react'

/** List and detail stand side by side from here on. */
export const SIDE_BY_SIDE = '(min-width: 1440px)'

/** The menu is behind a button: narrower than `lg`. */
export const MENU_BEHIND_BUTTON = '(width < 64rem)'

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
