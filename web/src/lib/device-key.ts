/**
 * The key of this browser, which its sessions are bound to [D-A10]: the browser signs with it, but does not hand it out, so a
 * copied token is useless elsewhere (DPoP, RFC 9449). The server knows the device by it [D-R12], so it outlives the sessions.
 * Without IndexedDB or a secure context, sessions are not bound.
 */

type DeviceKey = { thumbprint: string; jwk: JsonWebKey; pair: CryptoKeyPair }

const STORE = 'device-keys'

const base64url = (bytes: ArrayBuffer | Uint8Array) =>
  btoa(String.fromCharCode(...new Uint8Array(bytes))).replace(/[+/=]/g, (character) => ({ '+': '-', '/': '_' })[character] ?? '')

const encode = (text: string) => new TextEncoder().encode(text)
const sha256 = async (text: string) => base64url(await crypto.subtle.digest('SHA-256', encode(text)))

/** How long the browser may take to open the store: some never answer. */
const OPEN_MS = 2_000

function opened(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error('IndexedDB does not answer')), OPEN_MS)
    const request = indexedDB.open('solvane', 1)
    request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: 'thumbprint' })
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error ?? new Error('IndexedDB'))
  })
}

async function inStore<T>(mode: IDBTransactionMode, work: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const database = await opened()
  try {
    return await new Promise((resolve, reject) => {
      const request = work(database.transaction(STORE, mode).objectStore(STORE))
      request.onsuccess = () => resolve(request.result)
      request.onerror = () => reject(request.error ?? new Error('IndexedDB'))
    })
  } finally {
    database.close()
  }
}

async function keptOrGenerated(): Promise<DeviceKey> {
  const [kept] = await inStore<DeviceKey[]>('readonly', (store) => store.getAll() as IDBRequest<DeviceKey[]>)
  return kept ?? generated()
}

async function generated(): Promise<DeviceKey> {
  const pair = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign'])
  const { crv, kty, x, y } = await crypto.subtle.exportKey('jwk', pair.publicKey)
  // The members in the order of RFC 7638.
  const jwk = { crv, kty, x, y }
  const key = { thumbprint: await sha256(JSON.stringify(jwk)), jwk, pair }
  await inStore('readwrite', (store) => store.put(key))
  return key
}

let offered: Promise<DeviceKey> | undefined

/** The public key to log in with; the same for every try, so that a repeated submission stays the same. */
export async function offerDeviceKey(): Promise<JsonWebKey | undefined> {
  offered ??= keptOrGenerated()
  try {
    return (await offered).jwk
  } catch {
    return undefined
  }
}

/** The session is over. */
export function forgetTokens() {
  offered = undefined
  known.clear()
}

/** What was found out about a token: its hash, and its key. */
const known = new Map<string, Promise<{ hash: string; key: DeviceKey } | undefined>>()

/** The thumbprint of the key that the session of a token is bound to. */
function boundTo(token: string): string | undefined {
  try {
    const [, claims = ''] = token.split('.')
    const { cnf } = JSON.parse(atob(claims.replaceAll('-', '+').replaceAll('_', '/'))) as { cnf?: { jkt: string } }
    return cnf?.jkt
  } catch {
    return undefined
  }
}

async function keyOf(token: string, thumbprint: string) {
  try {
    const found = inStore<DeviceKey | undefined>('readonly', (store) => store.get(thumbprint) as IDBRequest<DeviceKey | undefined>)
    const [hash, key] = await Promise.all([sha256(token), found])
    return key && { hash, key }
  } catch {
    return undefined
  }
}

let nonce: string | undefined

/** Takes the nonce over that the server asks a proof for, because this machine's clock is wrong. */
export function takeNonce(given: string | undefined): boolean {
  nonce = given ?? nonce
  return given !== undefined
}

/** The headers of a request for a session. */
export async function credentials(token: string, method: string, url: string): Promise<Record<string, string>> {
  const authorization = { Authorization: `Bearer ${token}` }
  const thumbprint = boundTo(token)
  if (!thumbprint) return authorization
  if (!known.has(token)) known.clear()
  const found = known.get(token) ?? keyOf(token, thumbprint)
  known.set(token, found)
  const bound = await found
  if (!bound) return authorization
  const { origin, pathname } = new URL(url, location.href)
  const { jwk, pair } = bound.key
  const head = { typ: 'dpop+jwt', alg: 'ES256', jwk }
  const claims = {
    jti: crypto.randomUUID(),
    htm: method.toUpperCase(),
    htu: origin + pathname,
    iat: Math.floor(Date.now() / 1000),
    ath: bound.hash,
    ...(nonce ? { nonce } : {}),
  }
  const signed = [head, claims].map((part) => base64url(encode(JSON.stringify(part)))).join('.')
  const signature = await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, pair.privateKey, encode(signed))
  return { ...authorization, DPoP: `${signed}.${base64url(signature)}` }
}
