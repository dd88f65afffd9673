import { fillLogin, mailTo, newMember, signedIn, signUp } from './support/stack'
import { expect, test } from './support/test'

test('log out, come back to the page asked for, and end the other session [AUTH-13] [AUTH-15] [D-S4] [D-S11]', async ({ page, another }) => {
  const member = newMember()
  await signUp(page, member)
  await page.getByRole('button', { name: 'Logout' }).click()
  await expect(page).toHaveURL('/login')

  await page.goto('/investments')
  await expect(page).toHaveURL('/login')
  await fillLogin(page, member)
  await expect(page).toHaveURL('/investments')

  const other = await another()
  await other.goto('/login')
  await fillLogin(other, member)
  await expect(other).toHaveURL('/dashboard')

  await page.goto('/profile')
  await page.getByRole('button', { name: /End the session/ }).click()
  await expect(page.getByRole('button', { name: /End the session/ })).toHaveCount(0)
  await expect(async () => {
    await other.goto('/transactions')
    await expect(other).toHaveURL('/login', { timeout: 2_000 })
  }).toPass({ timeout: 30_000 })
})

test('a copied token is useless, and a wrong clock keeps nobody out [D-A10] [D-R12]', async ({ page, watch }) => {
  watch.tolerate(/401/)
  const member = newMember()
  await signUp(page, member)
  const token = await page.evaluate(() => (JSON.parse(localStorage.getItem('auth') ?? '') as { state: { token: string } }).state.token)
  const copied = await page.request.get('/v1/auth/check', { headers: { Authorization: `Bearer ${token}` } })
  expect(copied.status()).toBe(401)

  await page.reload()
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(page).toHaveURL('/dashboard')
  await page.clock.setFixedTime(Date.now() + 3 * 3_600_000)
  await page.goto('/profile')
  await expect(page.getByLabel('Email')).toHaveValue(member.email)

  await page.getByRole('button', { name: 'Logout' }).click()
  await expect(page).toHaveURL('/login')
  // The server knows the device by its key [D-R12], which outlives the session and cannot be copied.
  const keys = await page.evaluate(async () => {
    const database = await new Promise<IDBDatabase>((resolve) => {
      const request = indexedDB.open('solvane', 1)
      request.onsuccess = () => resolve(request.result)
    })
    return new Promise<boolean[]>((resolve) => {
      const request = database.transaction('device-keys').objectStore('device-keys').getAll() as IDBRequest<{ pair: CryptoKeyPair }[]>
      request.onsuccess = () => resolve(request.result.map(({ pair }) => pair.privateKey.extractable))
    })
  })
  expect(keys).toEqual([false])
})

test('a forgotten password is replaced by the link of the mail, which leaves the address bar [AUTH-08] [AUTH-09] [D-S6]', async ({ page }) => {
  const member = newMember()
  await signUp(page, member)
  await page.getByRole('button', { name: 'Logout' }).click()
  await page.getByRole('link', { name: 'Forgot password?' }).click()
  // The login has an Email of its own, which stands until the next page has come.
  await expect(page.getByRole('heading', { name: 'Forgot Password' })).toBeVisible()
  await page.getByLabel('Email').fill(member.email)
  await page.getByRole('button', { name: 'Continue' }).click()
  const [, path = ''] = await mailTo(member.email, /https?:\/\/[^/\s]+(\/reset-password#token=[\w-]+)/)
  await page.goto(path)
  await expect(page).toHaveURL('/reset-password')
  await page.getByLabel('New Password').fill('another-lantern-28')
  await page.getByLabel('Confirm Password').fill('another-lantern-28')
  await page.getByRole('button', { name: 'Reset Password' }).click()
  await expect(page).toHaveURL('/login')
  await fillLogin(page, { ...member, password: 'another-lantern-28' })
  await expect(page).toHaveURL('/dashboard')
})

test('a session that ended elsewhere leads to the login, and back to the page [D-S4] [D-S11] [MSG-01]', async ({ page, watch }) => {
  watch.tolerate(/401/)
  const member = await signedIn(page)
  await page.goto('/investments/plans')
  await expect(page.getByRole('heading', { name: 'Starter' })).toBeVisible()
  await member.api('POST', '/auth/logout')
  await expect(async () => {
    await page.goto('/transactions')
    await expect(page).toHaveURL('/login', { timeout: 2_000 })
  }).toPass({ timeout: 30_000 })
  await fillLogin(page, member)
  await expect(page).toHaveURL('/transactions')
})
