/** Who is logged in: the member and the bearer token, kept in local storage under `auth` [AUTH-16]. */
import { create } from 'zustand'
import { persist } from 'zustand/middleware'
import type { User } from './api-types'
import { forgetTokens } from './device-key'
import { forgetMemberData } from './member-cache'

type Session = {
  user: User | null
  token: string | null
  /** True once the member chose to leave, so that the guard does not offer the way back. */
  left: boolean
}

const SIGNED_OUT: Session = { user: null, token: null, left: false }

/** `boot.ts` says the same before the first paint. */
const tellStyles = ({ token }: Session) => {
  document.documentElement.dataset['session'] = token ? 'open' : 'none'
}

export const useSession = create<Session>()(
  persist(() => SIGNED_OUT, {
    name: 'auth',
    partialize: ({ user, token }) => ({ user, token }),
    onRehydrateStorage: () => (session) => tellStyles(session ?? SIGNED_OUT),
  }),
)

useSession.subscribe(tellStyles)

// What one member saw goes also when another one logs in, here or in another tab.
useSession.subscribe(({ user }, before) => {
  if (before.user && user?.id !== before.user.id) forgetMemberData()
})

export function startSession(user: User, token: string) {
  useSession.setState({ user, token, left: false })
}

/** Takes over a fresh answer of the session check, unless the session ended meanwhile. */
export function refreshSession(user: User, token: string | undefined) {
  const current = useSession.getState().token
  if (current) useSession.setState({ user, token: token ?? current })
}

/** The member leaves: what a screen still asks for, or hears, is of no interest any more. */
export function beginLeaving() {
  useSession.setState({ left: true })
}

export function endSession({ left = false } = {}) {
  forgetTokens()
  forgetMemberData()
  useSession.setState({ ...SIGNED_OUT, left })
}

export const useUser = () => useSession((session) => session.user)

/** The logged-in member, for screens behind the guard. */
export function useMember(): User {
  const user = useUser()
  if (!user) throw new Error('This screen needs a logged-in member')
  return user
}

/** Calls back when another tab logs in or out, after the stored session was taken over. */
export function followOtherTabs(onChange: () => void) {
  const listen = (event: StorageEvent) => {
    if (event.key !== 'auth' && event.key !== null) return
    const before = useSession.getState().user?.id
    if (event.newValue === null) endSession({ left: true })
    else {
      void useSession.persist.rehydrate()
      // Anyone who logged in there is here, too; said after the reading, because it is written down again.
      if (useSession.getState().token) useSession.setState({ left: false })
    }
    if (useSession.getState().user?.id !== before) onChange()
  }
  window.addEventListener('storage', listen)
  return () => window.removeEventListener('storage', listen)
}
