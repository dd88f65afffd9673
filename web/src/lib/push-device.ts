/**
 * Notices on this device (Web Push): what the browser can do, and the subscription that its service worker has. It belongs to
 * the browser, not to a session, so it is named to the server again at each visit, and given up at a logout.
 */
import { api } from './api-client'
import type { PushState } from './api-types'

/** Whose notices this browser shows. `notice-bell.tsx` and `log-out.ts` load this file only if there is one. */
const KEY = 'push'

export const canPush = () => 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window

const worker = () => navigator.serviceWorker.getRegistration()

/** Asks for the permission, which browsers allow only after a press, and subscribes; `false` if the member does not permit it. */
export async function turnOn(publicKey: string, memberId: string): Promise<boolean> {
  if ((await Notification.requestPermission()) !== 'granted') return false
  await subscribe(publicKey)
  localStorage.setItem(KEY, memberId)
  return true
}

export async function turnOff() {
  await api.delete('/notices/push')
  await forget()
}

/** Names the subscription to the server, once a visit. What another member of this browser turned on, ends. */
export async function renew(memberId: string) {
  if (localStorage.getItem(KEY) !== memberId) return forget()
  if (!canPush() || Notification.permission !== 'granted') return
  const { publicKey } = await api.get<PushState>('/notices/push')
  if (publicKey) await subscribe(publicKey)
}

/** Ends the subscription in the browser; the server may not know. */
export async function forget() {
  localStorage.removeItem(KEY)
  if (!canPush()) return
  const subscription = await (await worker())?.pushManager.getSubscription()
  await subscription?.unsubscribe()
}

async function subscribe(applicationServerKey: string) {
  const registration = await worker()
  if (!registration) throw new Error('The app is not stored in this browser yet. Reload the page and try again.')
  const { pushManager } = registration
  let subscription = await pushManager.getSubscription()
  // One that was made with another key of the server reaches no one any more.
  if (subscription && keyOf(subscription) !== applicationServerKey) {
    await subscription.unsubscribe()
    subscription = null
  }
  subscription ??= await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey })
  const { endpoint, keys } = subscription.toJSON()
  await api.put('/notices/push', { endpoint, p256dh: keys?.['p256dh'], auth: keys?.['auth'] })
}

/** Its key as the server writes it: base64url without padding. */
function keyOf({ options: { applicationServerKey } }: PushSubscription) {
  const text = String.fromCharCode(...new Uint8Array(applicationServerKey ?? new ArrayBuffer()))
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
