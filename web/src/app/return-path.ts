import { useLocation } from 'react-router'
import { safeReturnPath, type LoginState } from '@/lib/paths'

/** What the page that sent the visitor here said; the browser keeps it, so nothing about it is sure. */
function useLoginState(): { [Name in keyof LoginState]?: unknown } {
  const state: unknown = useLocation().state
  return typeof state === 'object' && state !== null ? state : {}
}

/** The protected page that sent the visitor to the login [D-S11]. */
export const useReturnPath = () => safeReturnPath(useLoginState().from)

/** Whether the visitor is here because nobody attended the back office. */
export const useWasLeftAlone = () => useLoginState().leftAlone === true
