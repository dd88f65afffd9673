/**
 * The last answers that a member saw, kept in the browser for when there is no network. They belong to one member and one
 * version of the app, and go with the session.
 */
import type { InfiniteData, Query, QueryClient, QueryKey } from '@tanstack/react-query'
import { openMemberCache } from './member-cache'
import { queryKeys } from './query-keys'
import { useSession } from './session'

/** As long as a session lives at most. */
const LONGEST_MS = 7 * 86_400_000
const PAUSE_MS = 1_000

/** What the pages of the first look show; of a list its first page. */
const kept = [queryKeys.session, queryKeys.terms, queryKeys.transactions, queryKeys.trades, queryKeys.plans, queryKeys.paymentMethods, queryKeys.course]

type Answer = { key: QueryKey; data: unknown; at: number }
type LastData = { version: string; answers: Answer[] }

/** The name of the app's file changes with its content. */
const version = () => document.querySelector<HTMLElement>('script[data-app]')?.dataset['app'] ?? ''

const addressOf = (memberId: string) => `/last-data/${encodeURIComponent(memberId)}`

const isKept = ({ queryKey, state }: Query) => state.data !== undefined && kept.some(([name]) => name === queryKey[0])

function answerOf({ queryKey: key, state: { data, dataUpdatedAt: at } }: Query): Answer {
  if (key[0] === queryKeys.session[0]) return { key, data: { ...(data as object), token: undefined }, at }
  const list = data as Partial<InfiniteData<unknown>>
  return { key, at, data: Array.isArray(list.pages) ? { pages: list.pages.slice(0, 1), pageParams: list.pageParams?.slice(0, 1) } : data }
}

/** Only members' data; staff see that of others. */
function memberId() {
  const { user, left } = useSession.getState()
  return user && !user.role && !left ? user.id : undefined
}

async function keep(client: QueryClient) {
  const id = memberId()
  const cache = id && (await openMemberCache())
  if (!cache || memberId() !== id) return
  const answers = client.getQueryCache().getAll().filter(isKept).map(answerOf)
  await cache.put(addressOf(id), Response.json({ version: version(), answers } satisfies LastData))
}

/** Stores the server's responses from now on. Returns a function that stops it. */
export function keepLastData(client: QueryClient) {
  let timer: ReturnType<typeof setTimeout> | undefined
  const stop = client.getQueryCache().subscribe((event) => {
    if (event.type !== 'updated' || event.action.type !== 'success' || !isKept(event.query as Query)) return
    clearTimeout(timer)
    // A full or forbidden storage costs only what could be shown offline.
    timer = setTimeout(() => void keep(client).catch(() => undefined), PAUSE_MS)
  })
  return () => {
    clearTimeout(timer)
    stop()
  }
}

/** Shows the stored responses of the current member, unless the server has responded already. */
export async function recallLastData(client: QueryClient) {
  const id = memberId()
  const found = id && (await (await openMemberCache())?.match(addressOf(id)))
  if (!found) return
  const last = (await found.json()) as LastData
  if (last.version !== version() || memberId() !== id) return
  for (const { key, data, at } of last.answers) {
    const isNewer = at > (client.getQueryState(key)?.dataUpdatedAt ?? 0)
    if (isNewer && at > Date.now() - LONGEST_MS) client.setQueryData(key, data, { updatedAt: at })
  }
}
