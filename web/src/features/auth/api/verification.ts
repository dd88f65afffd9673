/** The handle that a mailed code belongs to, kept in this tab until the email is confirmed [D-A2]. */
const KEY = 'verification'

type Kept = { email: string; handle: string }

const isSame = (one: string, other: string) => one.trim().toLowerCase() === other.trim().toLowerCase()

/** Keeps the handle of an answer that has one. */
export function keepVerification(email: string, handle: string | undefined) {
  if (!handle) return
  try {
    sessionStorage.setItem(KEY, JSON.stringify({ email, handle } satisfies Kept))
  } catch {
    // The storage is full or forbidden: the session or the email has to suffice.
  }
}

/** The handle for a code to this email, as a field of a request. */
export function verificationOf(email: string): { verification?: string } {
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as Kept | null
    return kept && isSame(kept.email, email) ? { verification: kept.handle } : {}
  } catch {
    return {}
  }
}
