/**
 * Whether the first page of a visit stands: what it asked for is there. What can come a little later (the font, the notices, the
 * stream of changes) waits for that, because on a slow network it would take its place.
 */
import type { QueryClient } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { isOffline, useConnection } from './connection'

/** Nothing is asked for between an answer and what follows from it. */
const QUIET_MS = 250
/** Something may hang. */
const LONGEST_MS = 5_000

let stands = false
const listeners = new Set<() => void>()

function tell() {
  stands = true
  // For the script in the page's head, which brings the font.
  document.dispatchEvent(new Event('stands'))
  for (const listener of listeners) listener()
}

/** Watches what is asked for, until the page stands; without a network nothing more can come. */
export function watchPage(client: QueryClient) {
  if (stands) return
  let quiet: ReturnType<typeof setTimeout> | undefined
  const end = () => {
    if (isOffline()) return
    stop()
    tell()
  }
  const look = () => {
    clearTimeout(quiet)
    if (!client.isFetching()) quiet = setTimeout(end, QUIET_MS)
  }
  const subscriptions = [client.getQueryCache().subscribe(look), useConnection.subscribe(look)]
  const limit = setTimeout(end, LONGEST_MS)
  const stop = () => {
    subscriptions.forEach((end) => end())
    clearTimeout(quiet)
    clearTimeout(limit)
  }
  look()
  return stop
}

function subscribe(listener: () => void) {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const usePageStands = () => useSyncExternalStore(subscribe, () => stands)
