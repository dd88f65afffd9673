import { useLocation } from 'react-router'
import { safeReturnPath, type LoginState } from '@/lib/paths'

/** State from the page that redirected here. It comes from the browser, so its shape is not guaranteed. */
function useLoginState(): { [Name in keyof LoginState]?: unknown } {
  const state: unknown = useLocation().state
  return typeof state === 'object' && state !== null ? state : {}
}

/** The protected page that sent the visitor to the login [D-S11]. */
export const useReturnPath = () => safeReturnPath(useLoginState().from)

/** Whether the visitor was logged out of the back office for inactivity. */
export const useWasLeftAlone = () => useLoginState().leftAlone === true
