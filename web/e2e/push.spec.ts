/** Notices on this device: the switch over the real stack, and what the service worker does with a message. */
import { createECDH, randomBytes } from 'node:crypto'
import { signedIn } from './support/stack'
import { expect, test } from './support/test'

test.use({ serviceWorkers: 'allow', permissions: ['notifications'] })

/** No browser of a test reaches a push service: the subscription is one that no device has, at a name that leads nowhere. */
const subscription = () => {
  const key = createECDH('prime256v1')
  key.generateKeys()
  return {
    endpoint: `https://nowhere.push.apple.com/${randomBytes(16).toString('hex')}`,
    keys: { p256dh: key.getPublicKey('base64url'), auth: randomBytes(16).toString('base64url') },
  }
}

test('a member turns notices on this device on and off, and a logout ends them [D-M7] [AUTH-13]', async ({ page }) => {
  await page.addInitScript((json) => {
    let current: object | null = null
    PushManager.prototype.getSubscription = () => Promise.resolve(current as PushSubscription | null)
    PushManager.prototype.subscribe = (options) => {
      const key = (options?.applicationServerKey as string).replaceAll('-', '+').replaceAll('_', '/')
      const applicationServerKey = Uint8Array.from(atob(key), (letter) => letter.charCodeAt(0)).buffer
      const unsubscribe = () => ((current = null), Promise.resolve(true))
      current = { options: { applicationServerKey }, toJSON: () => json, unsubscribe }
      return Promise.resolve(current as PushSubscription)
    }
  }, subscription())
  const member = await signedIn(page)
  const isOn = async () => (await member.api<{ isOn: boolean }>('GET', '/notices/push')).isOn
  await page.goto('/profile')
  await expect.poll(() => page.evaluate(async () => Boolean(await navigator.serviceWorker.getRegistration())), { timeout: 40_000 }).toBe(true)
  const card = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Notices on this device' }) })
  const toggle = card.getByRole('switch', { name: /Show notices here/ })
  await expect(toggle).not.toBeChecked()
  await toggle.click()
  await expect(toggle).toBeChecked()
  expect(await isOn()).toBe(true)
  await expect(card.getByRole('group', { name: 'Notices that you want on this device' }).getByRole('checkbox')).toHaveCount(4)
  await toggle.click()
  await expect(toggle).not.toBeChecked()
  expect(await isOn()).toBe(false)
  await toggle.click()
  await expect(toggle).toBeChecked()
  await page.reload()
  await expect(toggle).toBeChecked()
  await page.getByRole('button', { name: 'Logout' }).click()
  await expect(page).toHaveURL('/login')
  await expect.poll(() => page.evaluate(() => localStorage.getItem('push'))).toBeNull()
})

test('a message is shown, and leads to its page [D-M7]', async ({ page, context, baseURL }) => {
  await signedIn(page)
  await page.goto('/dashboard')
  await expect.poll(() => page.evaluate(() => Boolean(navigator.serviceWorker.controller)), { timeout: 40_000 }).toBe(true)
  const devtools = await context.newCDPSession(page)
  const registered = new Promise<string>((resolve) => {
    devtools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations: [one] }) => one && resolve(one.registrationId))
  })
  await devtools.send('ServiceWorker.enable')
  const message = { title: 'Your deposit is confirmed', body: 'It was added to your balance.', path: '/transactions', tag: 'n-1' }
  const registrationId = await registered
  for (let times = 0; times < 2; times++) {
    await devtools.send('ServiceWorker.deliverPushMessage', { origin: new URL(baseURL ?? '').origin, registrationId, data: JSON.stringify(message) })
  }
  const shown = () =>
    page.evaluate(async () => {
      const all = await (await navigator.serviceWorker.getRegistration())?.getNotifications()
      return all?.map(({ title, body, tag, data }) => ({ title, body, tag, path: data as unknown }))
    })
  await expect.poll(shown).toEqual([message])
})
