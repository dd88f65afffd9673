/** What a member typed survives a reload: kept in this tab's session storage until it is sent. */
import { useSession } from './session'

/** Each member's own: after a session has run out, somebody else may log in here. */
const keyOf = (name: string) => `draft:${useSession.getState().user?.id}:${name}`

export function readDraft<T extends object>(name: string): Partial<T> {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(keyOf(name)) ?? 'null')
    return typeof stored === 'object' && stored !== null ? stored : {}
  } catch {
    return {}
  }
}

export function writeDraft(name: string, values: object) {
  try {
    sessionStorage.setItem(keyOf(name), JSON.stringify(values))
  } catch {
    // A full or forbidden storage costs the draft, nothing more.
  }
}

export function dropDraft(name: string) {
  try {
    sessionStorage.removeItem(keyOf(name))
  } catch {
    // What is forbidden holds no draft.
  }
}
