import { useLocation } from 'react-router'
import { safeReturnPath } from '@/lib/paths'

/** The protected page that sent the visitor to the login [D-S11]. */
export function useReturnPath(): string | undefined {
  const state: unknown = useLocation().state
  return typeof state === 'object' && state !== null && 'from' in state ? safeReturnPath(state.from) : undefined
}
