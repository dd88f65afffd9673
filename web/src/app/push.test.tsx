import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { openAsMember, toastTexts } from '@/testing/render'
import { answers, member, records, server } from '@/testing/server'

const KEY = 'BEl62iUYgUivxIkv69yViEuiBIa-Ib9-SkvMeAtA3LFgDzkrxZJjSgSnfckjBJuBkr3qBUYIHBQFLXYp5Nksh8U'
const named = { endpoint: 'https://push.test/a', p256dh: 'BP', auth: 's' }

/** The browser's side: a permission, and a worker with a subscription or none. */
function browser({ permission = 'default', answer = 'granted', key }: { permission?: string; answer?: string; key?: string } = {}) {
  const bytes = (text: string) => Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0)).buffer
  const subscription = (applicationServerKey: string) => ({
    options: { applicationServerKey: bytes(applicationServerKey) },
    toJSON: () => ({ endpoint: named.endpoint, keys: { p256dh: named.p256dh, auth: named.auth } }),
    unsubscribe: vi.fn(() => Promise.resolve(((current = null), true))),
  })
  let current: ReturnType<typeof subscription> | null = key ? subscription(key) : null
  const subscribe = vi.fn((options: { applicationServerKey: string }) => Promise.resolve((current = subscription(options.applicationServerKey))))
  const pushManager = { getSubscription: () => Promise.resolve(current), subscribe }
  const notification = { permission, requestPermission: vi.fn(() => Promise.resolve((notification.permission = answer))) }
  vi.stubGlobal('PushManager', class {})
  vi.stubGlobal('Notification', notification)
  Object.defineProperty(navigator, 'serviceWorker', { configurable: true, value: { getRegistration: () => Promise.resolve({ pushManager }) } })
  return { subscribe, asked: notification.requestPermission, subscription: () => current }
}

const offers = (isOn: boolean) => server.use(answers('get', '/notices/push', { publicKey: KEY, isOn }))
const card = async () => {
  const heading = await screen.findByRole('heading', { name: 'Notices on this device' })
  return within(heading.closest('section') ?? heading)
}

describe('notices on this device', () => {
  beforeEach(() => () => {
    vi.unstubAllGlobals()
    Reflect.deleteProperty(navigator, 'serviceWorker')
  })

  it('are turned on by a press, which alone asks for the permission, and off again [D-M7]', async () => {
    const { subscribe, asked, subscription } = browser()
    const [puts, deletes] = [records('put', '/notices/push', {}), records('delete', '/notices/push', {})]
    offers(false)
    server.use(puts.handler, deletes.handler)
    const { user } = openAsMember('/profile')
    const toggle = (await card()).getByRole('switch', { name: /Show notices here/ })
    expect(toggle).not.toBeChecked()
    expect(asked).not.toHaveBeenCalled()
    offers(true)
    await user.click(toggle)
    await waitFor(() => expect(puts.seen.map(({ body }) => body)).toEqual([named]))
    expect(subscribe).toHaveBeenCalledExactlyOnceWith({ userVisibleOnly: true, applicationServerKey: KEY })
    await waitFor(() => expect(toggle).toBeChecked())
    offers(false)
    await user.click(toggle)
    await waitFor(() => expect(toggle).not.toBeChecked())
    expect([deletes.seen.length, subscription(), localStorage.getItem('push')]).toEqual([1, null, null])
  })

  it('are chosen by what they are about, never security, while they are on [D-M7]', async () => {
    browser({ permission: 'granted', key: KEY })
    const all = { money: true, plans: true, courses: true, cases: true }
    const saved = records('put', '/notices/preferences', { mail: all, push: { ...all, money: false } })
    offers(true)
    server.use(saved.handler)
    const { user } = openAsMember('/profile')
    const group = within(await screen.findByRole('group', { name: 'Notices that you want on this device' }))
    expect(group.queryByRole('checkbox', { name: /security/i })).toBeNull()
    await user.click(group.getByRole('checkbox', { name: /Money/ }))
    await waitFor(() => expect(saved.seen[0]?.body).toEqual({ mail: all, push: { ...all, money: false } }))
  })

  it('say that the browser blocks them, or cannot show any [D-M7]', async () => {
    offers(false)
    const { unmount } = openAsMember('/profile')
    expect(await (await card()).findByText(/This browser cannot show notices/)).toBeVisible()
    unmount()
    const { subscribe } = browser({ answer: 'denied' })
    const puts = records('put', '/notices/push', {})
    server.use(puts.handler)
    const { user } = openAsMember('/profile')
    await user.click((await card()).getByRole('switch'))
    expect(await (await card()).findByText(/Notices are blocked in the settings of your browser/)).toBeVisible()
    expect([subscribe.mock.calls.length, puts.seen.length]).toEqual([0, 0])
  })

  it('are not offered where the server sends none [D-M7]', async () => {
    browser()
    openAsMember('/profile')
    expect(await screen.findByRole('group', { name: 'Emails that you want' })).toBeVisible()
    expect(screen.queryByRole('heading', { name: 'Notices on this device' })).toBeNull()
  })

  it('are named to the server at each visit, without a question or a word [D-M7]', async () => {
    const { asked, subscribe } = browser({ permission: 'granted', key: KEY })
    const puts = records('put', '/notices/push', { message: 'Notices are shown on this device.' })
    offers(true)
    server.use(puts.handler)
    localStorage.setItem('push', member.id)
    openAsMember('/profile')
    await waitFor(() => expect(puts.seen.map(({ body }) => body)).toEqual([named]))
    expect([asked.mock.calls.length, subscribe.mock.calls.length, toastTexts()]).toEqual([0, 0, []])
  })

  it('are subscribed again when the server has another key [D-M7]', async () => {
    const { subscribe } = browser({ permission: 'granted', key: 'AAAA' })
    offers(false)
    server.use(answers('put', '/notices/push', {}))
    localStorage.setItem('push', member.id)
    openAsMember('/profile')
    await waitFor(() => expect(subscribe).toHaveBeenCalledExactlyOnceWith({ userVisibleOnly: true, applicationServerKey: KEY }))
  })

  it('end when another member logs in here, and with a logout [D-M7] [AUTH-13]', async () => {
    const { subscription } = browser({ permission: 'granted', key: KEY })
    offers(false)
    localStorage.setItem('push', 'another member')
    const { unmount } = openAsMember('/profile')
    await waitFor(() => expect([subscription(), localStorage.getItem('push')]).toEqual([null, null]))
    unmount()
    const own = browser({ permission: 'granted', key: KEY })
    server.use(answers('put', '/notices/push', {}), answers('post', '/auth/logout', {}))
    localStorage.setItem('push', member.id)
    const { user } = openAsMember('/profile')
    await user.click(await screen.findByRole('button', { name: 'Logout' }))
    await waitFor(() => expect([own.subscription(), localStorage.getItem('push')]).toEqual([null, null]))
  })
})
