import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { api } from '@/lib/api-client'
import { paths } from '@/lib/paths'
import { endSession } from '@/lib/session'

/** Revokes the session on the server if it can be reached, and forgets it here in any case [AUTH-13]. */
export function useLogOut() {
  const client = useQueryClient()
  const navigate = useNavigate()
  const [busy, setBusy] = useState(false)
  const logOut = async () => {
    setBusy(true)
    await api.post('/auth/logout', undefined, { isPublic: true }).catch(() => undefined)
    endSession({ left: true })
    client.clear()
    sessionStorage.clear()
    void navigate(paths.login)
  }
  return { logOut, busy }
}
