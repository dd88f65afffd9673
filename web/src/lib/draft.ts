/** What a member typed survives a reload: kept in this tab's session storage until it is sent. */

export function readDraft<T extends object>(name: string): Partial<T> {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(`draft:${name}`) ?? 'null')
    return typeof stored === 'object' && stored !== null ? stored : {}
  } catch {
    return {}
  }
}

export function writeDraft(name: string, values: object) {
  try {
    sessionStorage.setItem(`draft:${name}`, JSON.stringify(values))
  } catch {
    // A full or forbidden storage costs the draft, nothing more.
  }
}

export function dropDraft(name: string) {
  sessionStorage.removeItem(`draft:${name}`)
}
