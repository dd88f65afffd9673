import { screen, waitFor, within } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { currentPath, openApp, openAsMember } from '@/testing/render'
import { answers, member, records, refuses, server } from '@/testing/server'

/** What a browser keeps as bytes. */
const bytes = (text: string) => new TextEncoder().encode(text).buffer

const signed = {
  id: 'aWQ',
  rawId: bytes('id'),
  type: 'public-key',
  response: { clientDataJSON: bytes('client'), authenticatorData: bytes('data'), signature: bytes('signature'), userHandle: bytes('user') },
}
const made = {
  id: 'aWQ',
  rawId: bytes('id'),
  type: 'public-key',
  response: { clientDataJSON: bytes('client'), attestationObject: bytes('attestation'), getTransports: () => ['internal'] },
}
const known = { id: 'p1', name: 'My phone', createdAt: '2026-03-01T10:00:00Z', lastUsedAt: null }
const gaveUp = new DOMException('', 'NotAllowedError')

const credentials = {
  get: vi.fn<(options: CredentialRequestOptions) => Promise<unknown>>(),
  create: vi.fn<() => Promise<unknown>>(),
}
const canSuggest = vi.fn()

beforeEach(() => {
  canSuggest.mockResolvedValue(false)
  vi.stubGlobal('PublicKeyCredential', Object.assign(() => undefined, { isConditionalMediationAvailable: canSuggest }))
  Object.defineProperty(navigator, 'credentials', { value: credentials, configurable: true })
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.resetAllMocks()
})

const totp = (state: object) =>
  answers('get', '/users/totp', { totp: { required: false, enrolled: false, passkeys: 0, recoveryCodesLeft: 0, ...state }, stepUpUntil: null })

describe('a login with a passkey', () => {
  const begun = answers('post', '/auth/passkey/begin', { options: { challenge: 'AAEC', rpId: 'localhost', allowCredentials: [] } })

  it('asks the browser and sends what it signed [D-A3]', async () => {
    const login = records('post', '/auth/passkey', { user: member, token: 't' })
    server.use(begun, login.handler)
    credentials.get.mockResolvedValue(signed)
    const { user } = openApp('/login')
    await user.click(await screen.findByRole('button', { name: 'Log in with a passkey' }))
    await waitFor(() => expect(currentPath()).toBe('/dashboard'))
    expect(credentials.get.mock.calls[0]?.[0].publicKey?.challenge).toEqual(new Uint8Array([0, 1, 2]))
    expect(login.seen[0]?.body).toEqual({
      credential: {
        id: 'aWQ',
        rawId: 'aWQ',
        type: 'public-key',
        clientExtensionResults: {},
        response: { clientDataJSON: 'Y2xpZW50', authenticatorData: 'ZGF0YQ', signature: 'c2lnbmF0dXJl', userHandle: 'dXNlcg' },
      },
    })
  })

  it('tells in place that it was given up, or refused [D-A3]', async () => {
    server.use(begun, refuses('post', '/auth/passkey', 422, { message: 'This passkey was not accepted', code: 'PASSKEY_REFUSED' }))
    credentials.get.mockRejectedValueOnce(gaveUp).mockResolvedValueOnce(signed)
    const { user } = openApp('/login')
    await user.click(await screen.findByRole('button', { name: 'Log in with a passkey' }))
    expect(await screen.findByText(/^No passkey was used/)).toBeVisible()
    await user.click(screen.getByRole('button', { name: 'Log in with a passkey' }))
    expect(await screen.findByText('This passkey was not accepted')).toBeVisible()
    expect(currentPath()).toBe('/login')
  })

  it('is offered in the suggestions of the email field where the browser can [D-A3]', async () => {
    canSuggest.mockResolvedValue(true)
    server.use(begun, answers('post', '/auth/passkey', { user: member, token: 't' }))
    credentials.get.mockResolvedValue(signed)
    openApp('/login')
    expect(await screen.findByLabelText('Email')).toHaveAttribute('autocomplete', 'username webauthn')
    await waitFor(() => expect(currentPath()).toBe('/dashboard'))
    expect(credentials.get.mock.calls[0]?.[0].mediation).toBe('conditional')
  })

  it('is named where the password does not suffice, with a recovery code as the way out [D-A3]', async () => {
    const message = 'Log in with your passkey, or enter a recovery code'
    server.use(refuses('post', '/auth/login', 401, { message, code: 'PASSKEY_REQUIRED' }))
    const { user } = openApp('/login')
    await user.type(await screen.findByLabelText('Email'), 'amara@example.com')
    await user.type(screen.getByLabelText('Password'), 'harbour-lantern-27')
    await user.click(screen.getByRole('button', { name: 'Login' }))
    const code = await screen.findByLabelText('Recovery code')
    const login = records('post', '/auth/login', { user: member, token: 't' })
    server.use(login.handler)
    await user.type(code, 'ABCDE-FGHJK')
    await user.click(screen.getByRole('button', { name: 'Login' }))
    await waitFor(() => expect(currentPath()).toBe('/dashboard'))
    expect(login.seen[0]?.body).toMatchObject({ totp: 'ABCDE-FGHJK' })
  })
})

describe('the passkeys of a member', () => {
  const options = { challenge: 'AAEC', user: { id: 'dXNlcg', name: 'a', displayName: 'A' }, excludeCredentials: [] }

  it('are added by password and browser; the first brings recovery codes [D-A3]', async () => {
    const begun = records('post', '/users/passkeys/begin', { options })
    const finished = records('post', '/users/passkeys/finish', { passkey: known, recoveryCodes: ['AAAAA-11111'] }, 201)
    server.use(begun.handler, finished.handler)
    credentials.create.mockResolvedValue(made)
    const { user } = openAsMember('/profile')
    await user.click(await screen.findByRole('button', { name: 'Add a passkey' }))
    await user.type(await screen.findByLabelText('Your password'), 'harbour-lantern-27')
    await user.type(screen.getByLabelText(/^Name/), 'My phone')
    server.use(answers('get', '/users/passkeys', { passkeys: [known] }), totp({ passkeys: 1, recoveryCodesLeft: 10 }))
    await user.click(screen.getByRole('button', { name: 'Create passkey' }))
    expect(await screen.findByText('AAAAA-11111')).toBeVisible()
    expect(begun.seen[0]?.body).toEqual({ password: 'harbour-lantern-27' })
    expect(finished.seen[0]?.body).toMatchObject({ name: 'My phone', credential: { rawId: 'aWQ', response: { transports: ['internal'] } } })
    await user.click(screen.getByRole('button', { name: 'I have saved them' }))
    expect(await screen.findByText('My phone')).toBeVisible()
    expect(screen.getByText(/not used yet/)).toBeVisible()
    expect(screen.getByText('You have 10 recovery codes left.')).toBeVisible()
  })

  it('are not added where the browser refuses, which is told in the form [D-A3]', async () => {
    server.use(answers('post', '/users/passkeys/begin', { options }), totp({ enrolled: true, recoveryCodesLeft: 10 }))
    credentials.create.mockRejectedValue(new DOMException('', 'InvalidStateError'))
    const { user } = openAsMember('/profile')
    await user.click(await screen.findByRole('button', { name: 'Add a passkey' }))
    await user.click(await screen.findByRole('button', { name: 'Create passkey' }))
    expect(await screen.findByText('This device already has a passkey for your account.')).toBeVisible()
    expect(screen.queryByLabelText('Your password')).toBeNull()
  })

  it('are removed after a question [D-A3]', async () => {
    const removed = records('delete', '/users/passkeys/p1')
    server.use(answers('get', '/users/passkeys', { passkeys: [known] }), totp({ passkeys: 1, recoveryCodesLeft: 10 }), removed.handler)
    const { user } = openAsMember('/profile')
    await user.click(await screen.findByRole('button', { name: 'Remove the passkey My phone' }))
    server.use(answers('get', '/users/passkeys', { passkeys: [] }), totp({}))
    await user.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Remove' }))
    await waitFor(() => expect(screen.queryByText('My phone')).toBeNull())
    expect(removed.seen).toHaveLength(1)
  })

  it('tell that they cannot be loaded, and come after another try [D-A3]', async () => {
    server.use(refuses('get', '/users/passkeys', 409, { message: 'Not now' }))
    const { user } = openAsMember('/profile')
    expect(await screen.findByText('Not now')).toBeVisible()
    server.use(answers('get', '/users/passkeys', { passkeys: [known] }))
    await user.click(screen.getByRole('button', { name: 'Retry' }))
    expect(await screen.findByText('My phone')).toBeVisible()
  })

  it('stand in for a code where a fresh second factor is needed [D-A3]', async () => {
    const stepUp = records('post', '/auth/step-up', { until: null })
    server.use(
      answers('get', '/users/passkeys', { passkeys: [known] }),
      totp({ passkeys: 1, recoveryCodesLeft: 10 }),
      refuses('delete', '/users/passkeys/p1', 403, { message: 'Confirm it is you.', code: 'STEP_UP_REQUIRED' }),
      answers('post', '/auth/step-up/passkey', { options: { challenge: 'AAEC', allowCredentials: [{ id: 'aWQ', type: 'public-key' }] } }),
      stepUp.handler,
    )
    credentials.get.mockRejectedValueOnce(gaveUp).mockResolvedValueOnce(signed)
    const { user } = openAsMember('/profile')
    await user.click(await screen.findByRole('button', { name: 'Remove the passkey My phone' }))
    await user.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Remove' }))
    const dialog = await screen.findByRole('dialog', { name: 'Confirm it is you' })
    expect(within(dialog).getByLabelText('Recovery code')).toBeVisible()
    await user.click(within(dialog).getByRole('button', { name: 'Use a passkey' }))
    expect(await within(dialog).findByText(/^No passkey was used/)).toBeVisible()
    const removed = records('delete', '/users/passkeys/p1')
    server.use(removed.handler)
    await user.click(within(dialog).getByRole('button', { name: 'Use a passkey' }))
    await waitFor(() => expect(removed.seen).toHaveLength(1))
    expect(stepUp.seen[0]?.body).toMatchObject({ passkey: { rawId: 'aWQ', response: { userHandle: 'dXNlcg' } } })
  })
})
