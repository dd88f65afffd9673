import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { api } from '@/lib/api-client'
import { paths, type LoginState } from '@/lib/paths'
import { beginLeaving, endSession } from '@/lib/session'

/** Logs out here even if the server does not answer. */
const LONGEST_WAIT_MS = 5_000

/** Revokes the session on the server if it can be reached, and forgets it here in any case [AUTH-13]. */
export function useLogOut() {
  const client = useQueryClient()
  const navigate = useNavigate()
  const [busy, setBusy] = useState(false)
  const logOut = async (state?: LoginState) => {
    setBusy(true)
    // Their responses would belong to the ended session.
    beginLeaving()
    await client.cancelQueries()
    const signal = AbortSignal.timeout(LONGEST_WAIT_MS)
    await api.post('/auth/logout', undefined, { isPublic: true, signal }).catch(() => undefined)
    // Also where the session had ended before, of which the server heard nothing more.
    if (localStorage.getItem('push')) void import('@/lib/push-device').then(({ forget }) => forget()).catch(() => undefined)
    endSession({ left: true })
    client.clear()
    sessionStorage.clear()
    void navigate(paths.login, { state })
  }
  return { logOut, busy }
}
