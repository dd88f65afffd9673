/** What the page asked for before the app was there (`prerender/early.ts`). Each answer is taken once, while it is fresh. */
import { useSession } from './session'

export type EarlyAnswers = {
  userId: string
  askedAt: number
  byPath: Map<string, Promise<Response>>
  /** Settles when everything is on its way. */
  sent?: Promise<unknown>
}

declare global {
  interface Window {
    earlyAnswers?: EarlyAnswers
  }
}

/** Longer than a slow phone takes to load the app. */
const FRESH_MS = 10_000

/** What was asked before a change may be out of date. */
export function dropEarlyAnswers() {
  window.earlyAnswers?.byPath.clear()
}

/** The response to the current member, if it was asked for: what failed early has failed once. */
export async function takeEarlyAnswer(path: string): Promise<Response | 'lost' | undefined> {
  const early = window.earlyAnswers
  const asked = early?.byPath.get(path)
  if (!early || !asked) return undefined
  early.byPath.delete(path)
  if (early.userId !== useSession.getState().user?.id || Date.now() - early.askedAt > FRESH_MS) return undefined
  return asked.catch(() => 'lost')
}
