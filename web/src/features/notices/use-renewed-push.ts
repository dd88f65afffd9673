import { useEffect } from 'react'
import { useUser } from '@/lib/session'

/** Where the member turned notices on this device on, names the device to the server, once a visit. */
export function useRenewedPush() {
  const id = useUser()?.id
  useEffect(() => {
    if (!id || !localStorage.getItem('push')) return
    void import('@/lib/push-device').then(({ renew }) => renew(id)).catch(() => undefined)
  }, [id])
}
