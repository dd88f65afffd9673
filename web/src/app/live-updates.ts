/** Refreshes the screen when the member's money changes on the server; where the stream is away, polling remains. */
import type { QueryClient } from '@tanstack/react-query'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { apiUrl } from '@/lib/env'
import { readEvents } from '@/lib/event-stream'
import { moneyKeys } from '@/lib/query-keys'
import { useSession } from '@/lib/session'

const FIRST_PAUSE_MS = 2_000
const LONGEST_PAUSE_MS = 60_000

const pause = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true })
  })

function refresh(client: QueryClient) {
  for (const queryKey of moneyKeys) void client.invalidateQueries({ queryKey })
}

/** Follows one stream to its end; false when there is none, or no session any more. */
async function followOnce(client: QueryClient, signal: AbortSignal): Promise<boolean> {
  const { token } = useSession.getState()
  const response = await fetch(`${apiUrl}/events`, {
    headers: { Accept: 'text/event-stream', ...(token ? { Authorization: `Bearer ${token}` } : {}) },
    credentials: 'include',
    signal,
  })
  if (!response.ok || !response.body) return response.status !== 401 && response.status !== 404
  for await (const { event } of readEvents(response.body)) {
    if (event === 'change' || event === 'reset') refresh(client)
  }
  return true
}

async function follow(client: QueryClient, signal: AbortSignal) {
  let wait = FIRST_PAUSE_MS
  while (!signal.aborted) {
    const started = Date.now()
    const goOn = await followOnce(client, signal).catch(() => true)
    if (!goOn) return
    // A stream that lived for a while ended normally: come back soon, and catch up.
    const lived = Date.now() - started > LONGEST_PAUSE_MS
    wait = lived ? FIRST_PAUSE_MS : Math.min(wait * 2, LONGEST_PAUSE_MS)
    await pause(wait, signal)
    if (lived && !signal.aborted) refresh(client)
  }
}

export function useLiveUpdates() {
  const client = useQueryClient()
  const left = useSession((session) => session.left)
  useEffect(() => {
    if (left) return
    const controller = new AbortController()
    void follow(client, controller.signal)
    return () => controller.abort()
  }, [client, left])
}
