import type { CDPSession, Page } from '@playwright/test'
import { fillLogin, fund, mailTo, registered, signedIn, staffSignedIn } from './support/stack'
import { expect, test } from './support/test'
import { passes } from './support/accessible'

/** A device that keeps passkeys and verifies its user, as Chromium simulates one. */
class Device {
  private constructor(
    private readonly browser: CDPSession,
    private readonly authenticatorId: string,
  ) {}

  static async plugInto(page: Page) {
    const browser = await page.context().newCDPSession(page)
    await browser.send('WebAuthn.enable', { enableUI: false })
    const { authenticatorId } = await browser.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    })
    return new Device(browser, authenticatorId)
  }

  /** Whether its user touches it when asked. */
  answers(enabled: boolean) {
    return this.browser.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId: this.authenticatorId, enabled })
  }

  async passkeys() {
    return (await this.browser.send('WebAuthn.getCredentials', { authenticatorId: this.authenticatorId })).credentials
  }

  /** Takes the passkeys of another device over, as a synchronised account does. */
  async synchroniseFrom(other: Device) {
    for (const credential of await other.passkeys()) {
      await this.browser.send('WebAuthn.addCredential', {
        authenticatorId: this.authenticatorId,
        // A synchronised passkey does not count its signatures alike on every device: this one goes on where the other was.
        credential: { ...credential, signCount: credential.signCount + 10 },
      })
    }
  }
}

const address = 'TVj7RNVHy6thbM7BWdSe9G6gXwKhjhdNZS'

test('a member adds a passkey, logs in with it, steps up for a withdrawal and removes it [D-A3] [D-R19]', async ({ page, another, watch }) => {
  test.setTimeout(240_000)
  const member = await signedIn(page)
  await fund(member, 500)
  // Logged in before: this session has never given the factor.
  const desk = await another()
  await desk.goto('/login')
  await fillLogin(desk, member)
  await expect(desk).toHaveURL('/dashboard')

  const phone = await Device.plugInto(page)
  await page.goto('/profile')
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await passes(page, 'the form of a passkey')
  await page.getByLabel('Your password').fill(member.password)
  await page.getByLabel(/^Name/).fill('My phone')
  await page.getByRole('button', { name: 'Create passkey' }).click()
  await expect(page.getByRole('heading', { name: 'Save your recovery codes' })).toBeVisible()
  expect(await phone.passkeys()).toHaveLength(1)
  await page.getByRole('button', { name: 'I have saved them' }).click()
  await expect(page.getByText('My phone')).toBeVisible()
  await expect(page.getByText('not used yet')).toBeVisible()
  await passes(page, 'the profile with a passkey')
  await mailTo(member.email, /A passkey was added/)

  // The password alone asks for it; the passkey alone logs in.
  watch.tolerate(/status of (401|403|422)/)
  await phone.answers(false)
  await page.getByRole('button', { name: 'Account menu' }).click()
  await page.getByRole('menuitem', { name: 'Logout' }).click()
  await expect(page).toHaveURL('/login')
  await fillLogin(page, member)
  await expect(page.getByLabel('Recovery code')).toBeVisible()
  await passes(page, 'the login that asks for a passkey')
  await phone.answers(true)
  await page.getByRole('button', { name: 'Log in with a passkey' }).click()
  await expect(page).toHaveURL('/dashboard')
  await page.goto('/profile')
  await expect(page.getByText(/last used/)).toBeVisible()

  // The other device stays logged in; to withdraw, it gives the passkey, and the request goes on.
  const laptop = await Device.plugInto(desk)
  await laptop.synchroniseFrom(phone)
  await desk.goto('/withdrawals')
  await desk.getByLabel('Amount').fill('100')
  await desk.getByText('TRC20').click()
  await desk.getByLabel('Wallet address').fill(address)
  await desk.getByRole('button', { name: 'Request Withdrawal' }).click()
  await desk.getByRole('button', { name: /^Withdraw \$/ }).click()
  const dialog = desk.getByRole('dialog', { name: 'Confirm it is you' })
  await expect(dialog.getByRole('button', { name: 'Use a passkey' })).toBeVisible()
  await passes(desk, 'the step-up dialog with a passkey')
  await dialog.getByRole('button', { name: 'Use a passkey' }).click()
  // A factor that was set up just now replaces no mailed code.
  await expect(desk).toHaveURL(/\/transactions\/[0-9a-f-]{36}$/)
  await expect(desk.getByText('Confirm the address', { exact: true })).toBeVisible()

  // Without it, the password alone logs in again.
  await page.getByRole('button', { name: 'Remove the passkey My phone' }).click()
  await passes(page, 'the question before removing a passkey')
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await expect(page.getByText('My phone')).toHaveCount(0)
  await mailTo(member.email, /A passkey was removed/)
})

test('a passkey that the person gives up, or that is unknown here, is told in place [D-A3]', async ({ page, watch }) => {
  watch.tolerate(/status of 422/)
  const device = await Device.plugInto(page)
  await page.goto('/login')
  await page.getByRole('button', { name: 'Log in with a passkey' }).click()
  await expect(page.getByText(/^No passkey was used/)).toBeVisible()
  expect(await device.passkeys()).toHaveLength(0)
  await passes(page, 'the login after a passkey was given up')
})

test('a reviewer signs a decision with the passkey, which stands in the audit log [D-B3] [D-A3]', async ({ page, watch }) => {
  watch.tolerate(/status of 403/)
  const member = await registered()
  await staffSignedIn(page, 'reviewer2')
  await Device.plugInto(page)
  await page.goto('/admin/security')
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByRole('button', { name: 'Create passkey' }).click()
  await page.getByRole('button', { name: 'I have saved them' }).click()

  await page.goto(`/admin/members/${member.id}`)
  await page.getByRole('button', { name: 'Freeze' }).click()
  const question = page.getByRole('dialog', { name: /Freeze/ })
  await question.getByLabel('Reason').fill('Asked for by the member')
  await question.getByRole('button', { name: 'Freeze' }).click()
  const signing = page.getByRole('dialog', { name: 'Sign this decision' })
  await expect(signing.getByRole('button', { name: 'Sign with your passkey' })).toBeVisible()
  await passes(page, 'the dialog that asks for a signature')
  await signing.getByRole('button', { name: 'Sign with your passkey' }).click()
  await expect(page.getByText('Frozen', { exact: true })).toBeVisible()

  // The passkey goes again: reviewers of other journeys have none.
  await page.goto('/admin/security')
  await page.getByRole('button', { name: /^Remove the passkey/ }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await expect(page.getByRole('button', { name: /^Remove the passkey/ })).toHaveCount(0)
})
