/** Logging in by a passkey: loaded apart, since most visitors type [D-A3]. */
import { api } from '@/lib/api-client'
import { offerDeviceKey } from '@/lib/device-key'
import { canSuggestPasskeys, signByPasskey, type PasskeyOptions } from '@/lib/webauthn'
import type { LoginAnswer } from './log-in'

/** A challenge lives five minutes. */
const RENEW_AFTER_MS = 4 * 60_000

async function ask(rest: Pick<CredentialRequestOptions, 'mediation' | 'signal'> = {}) {
  const { signal } = rest
  const { options } = await api.post<{ options: PasskeyOptions }>('/auth/passkey/begin', {}, { isPublic: true, signal })
  return signByPasskey(options, rest)
}

const logIn = async (credential: object) =>
  api.post<LoginAnswer>('/auth/passkey', { credential, deviceKey: await offerDeviceKey() }, { isPublic: true })

/** Asks for a passkey in the browser's own dialog. */
export const logInByPasskey = async () => logIn(await ask())

/**
 * Offers passkeys in the suggestions of the email field until one was chosen or the signal ends it. Where that fails before
 * one was chosen, the user did not ask for it, and nothing is shown.
 */
export async function suggestPasskeys(signal: AbortSignal): Promise<LoginAnswer | undefined> {
  if (!(await canSuggestPasskeys())) return undefined
  while (!signal.aborted) {
    const until = AbortSignal.any([signal, AbortSignal.timeout(RENEW_AFTER_MS)])
    const chosen = await ask({ mediation: 'conditional', signal: until }).catch(() => undefined)
    if (chosen) return logIn(chosen)
    if (!until.aborted) return undefined
  }
  return undefined
}
