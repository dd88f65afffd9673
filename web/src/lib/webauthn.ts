/** Passkeys in the browser [D-A3]: the options of the API to what `navigator.credentials` takes, and its answers back. */
import { ApiError } from './api-error'

/** The options as the API sends them: WebAuthn's JSON, in which bytes are base64url. */
export type PasskeyOptions = Record<string, unknown> & { challenge: string }

type Descriptor = { id: string; type: 'public-key'; transports?: AuthenticatorTransport[] }

const toBytes = (text: string) =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0))

function toText(buffer: ArrayBuffer) {
  const letters = Array.from(new Uint8Array(buffer), (byte) => String.fromCharCode(byte)).join('')
  return btoa(letters).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

const toDescriptors = (list: unknown) =>
  (list as Descriptor[] | undefined)?.map((one) => ({ ...one, id: toBytes(one.id) }))

/** Browsers know no passkeys of an address that is a number. */
const isNamedHost = () => !/^[\d.]+$|:/.test(location.hostname)

export const canUsePasskeys = () => typeof PublicKeyCredential === 'function' && isNamedHost()

/** Whether the browser can offer passkeys in the suggestions of a field. */
export const canSuggestPasskeys = async () =>
  canUsePasskeys() && (await PublicKeyCredential.isConditionalMediationAvailable?.()) === true

const refusal = (message: string) => new ApiError(message, undefined, { message })

/** Has the browser do something with a passkey; what it refuses is shown like what the server refuses. */
async function asked<T>(ask: () => Promise<T>): Promise<T> {
  if (!canUsePasskeys()) throw refusal('This browser cannot use passkeys here.')
  try {
    return await ask()
  } catch (cause) {
    if (!(cause instanceof DOMException)) throw cause
    if (cause.name === 'InvalidStateError') throw refusal('This device already has a passkey for your account.')
    throw refusal('No passkey was used. Try again, or choose another way.')
  }
}

/** Makes a passkey; returns `RegistrationResponseJSON`. */
export async function createPasskey(options: PasskeyOptions): Promise<object> {
  const user = options['user'] as PublicKeyCredentialUserEntityJSON
  const publicKey = {
    ...options,
    challenge: toBytes(options.challenge),
    user: { ...user, id: toBytes(user.id) },
    excludeCredentials: toDescriptors(options['excludeCredentials']),
  } as unknown as PublicKeyCredentialCreationOptions
  const made = (await asked(() => navigator.credentials.create({ publicKey }))) as PublicKeyCredential
  const response = made.response as AuthenticatorAttestationResponse
  return {
    ...head(made),
    response: {
      clientDataJSON: toText(response.clientDataJSON),
      attestationObject: toText(response.attestationObject),
      transports: response.getTransports?.() ?? [],
    },
  }
}

/** Has a passkey sign; returns `AuthenticationResponseJSON`. `mediation`: `conditional` to offer it in a field's suggestions. */
export async function signByPasskey(
  options: PasskeyOptions,
  rest: Pick<CredentialRequestOptions, 'mediation' | 'signal'> = {},
): Promise<object> {
  const allowCredentials = toDescriptors(options['allowCredentials'])
  const publicKey = { ...options, challenge: toBytes(options.challenge), allowCredentials } as unknown as PublicKeyCredentialRequestOptions
  const signed = (await asked(() => navigator.credentials.get({ publicKey, ...rest }))) as PublicKeyCredential
  const response = signed.response as AuthenticatorAssertionResponse
  return {
    ...head(signed),
    response: {
      clientDataJSON: toText(response.clientDataJSON),
      authenticatorData: toText(response.authenticatorData),
      signature: toText(response.signature),
      ...(response.userHandle ? { userHandle: toText(response.userHandle) } : {}),
    },
  }
}

const head = (credential: PublicKeyCredential) => ({
  id: credential.id,
  rawId: toText(credential.rawId),
  type: credential.type,
  clientExtensionResults: {},
})
