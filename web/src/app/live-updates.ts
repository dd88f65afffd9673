/**
 * Refreshes the screen when the member's money or cases change on the server, or a notice is added. Without the stream, polling
 * remains. All tabs of a browser share one stream, because a browser opens only six connections to a server over HTTP/1.1.
 */
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { apiUrl } from '@/lib/env'
import { credentials, takeNonce } from '@/lib/device-key'
import { readEvents } from '@/lib/event-stream'
import { moneyKeys, queryKeys } from '@/lib/query-keys'
import { useSession } from '@/lib/session'
import { shareWork } from '@/lib/tabs'

/** The longest first pause: after its server was replaced, a stream is open again within two seconds. */
const FIRST_PAUSE_MS = 1_000
/** A stream that lived for this long worked. */
const LIVED_MS = 10_000
const LONGEST_PAUSE_MS = 60_000

const pause = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true })
  })

/** `missed`: something may have happened before the stream; `onChange` is called for that too, with nothing. */
type Following = { onChange: (event: string) => void; missed: boolean; signal: AbortSignal }

/** Reads one stream to its end. Returns false if there is none, or if the session has ended. */
async function followOnce({ onChange, missed, signal }: Following): Promise<boolean> {
  const { token } = useSession.getState()
  const url = `${apiUrl}/events`
  const response = await fetch(url, {
    headers: { Accept: 'text/event-stream', ...(token ? await credentials(token, 'GET', url) : {}) },
    credentials: 'include',
    signal,
  })
  if (response.status === 401 && takeNonce(((await response.json()) as { nonce?: string }).nonce)) return true
  if (!response.ok || !response.body) return response.status !== 401 && response.status !== 404
  if (missed) onChange('')
  for await (const { event, data } of readEvents(response.body)) {
    if (event === 'change' || event === 'reset') onChange(event === 'change' ? data : '')
  }
  return true
}

async function follow({ onChange, missed, signal }: Following) {
  let wait = FIRST_PAUSE_MS / 2
  for (let again = missed; !signal.aborted; again = true) {
    const started = Date.now()
    const goOn = await followOnce({ onChange, missed: again, signal }).catch(() => true)
    if (!goOn) return
    // A stream that lived for a while ended normally: come back soon, but not all at once.
    const lived = Date.now() - started > LIVED_MS
    wait = lived ? FIRST_PAUSE_MS : Math.min(wait * 2, LONGEST_PAUSE_MS)
    await pause(wait * (0.5 + Math.random() / 2), signal)
  }
}

export function LiveUpdates() {
  const client = useQueryClient()
  const memberId = useSession(({ user, left }) => (left ? undefined : user?.id))
  useEffect(() => {
    if (!memberId) return
    const refresh = (event: string) => {
      const keys = event.startsWith('mailer.')
        ? [queryKeys.notices]
        : event.startsWith('cases.')
          ? [queryKeys.cases]
          : event
            ? moneyKeys
            : [queryKeys.notices, queryKeys.cases, ...moneyKeys]
      for (const queryKey of keys) void client.invalidateQueries({ queryKey })
    }
    return shareWork({
      name: `events:${memberId}`,
      work: ({ missed, say, signal }) => follow({ onChange: (event) => (refresh(event), say(event)), missed, signal }),
      onSaid: refresh,
    })
  }, [client, memberId])
  return null
}
