import { screen, waitFor, within } from '@testing-library/react'
import { http, HttpResponse } from 'msw'
import { describe, expect, it } from 'vitest'
import { openAsMember } from '@/testing/render'
import { usdt } from '@/testing/samples'
import { answers, member, records, refuses, server } from '@/testing/server'

const base = `${window.location.origin}/v1`
const URI = 'otpauth://totp/Solvane:amara?secret=JBSWY3DPEHPK3PXP&issuer=Solvane'

const totp = (state: object = {}) =>
  answers('get', '/users/totp', { totp: { required: false, enrolled: true, recoveryCodesLeft: 10, ...state }, stepUpUntil: null })

/** A request that is refused until a factor was given; keeps the idempotency keys it came with. */
function guarded(method: 'post' | 'put' | 'delete', path: string) {
  const keys: (string | null)[] = []
  let isFresh = false
  const refused = { success: false, message: 'Enter the code from your authenticator app to continue.', code: 'STEP_UP_REQUIRED' }
  const handlers = [
    http[method](base + path, ({ request }) => {
      keys.push(request.headers.get('Idempotency-Key'))
      return isFresh ? HttpResponse.json({ success: true, message: 'It is done.' }) : HttpResponse.json(refused, { status: 403 })
    }),
    http.post(`${base}/auth/step-up`, async ({ request }) => {
      const { totp } = (await request.json()) as { totp: string }
      isFresh = totp === '654321'
      const wrong = { success: false, message: 'This code is wrong.', code: 'INVALID_CODE', errors: { totp: 'This code is wrong' } }
      return isFresh ? HttpResponse.json({ success: true, message: 'Right', until: null }) : HttpResponse.json(wrong, { status: 422 })
    }),
  ]
  return { keys, handlers }
}

async function giveCode(user: ReturnType<typeof openAsMember>['user'], code: string) {
  const dialog = await screen.findByRole('dialog', { name: 'Confirm it is you' })
  const field = await within(dialog).findByLabelText('Authenticator code')
  await user.clear(field)
  await user.type(field, code)
  await user.click(within(dialog).getByRole('button', { name: 'Confirm' }))
  return dialog
}

describe('two-factor authentication', () => {
  it('is set up by password, QR code and first code, and shows the recovery codes once [D-A3] [D-R19]', async () => {
    const begun = records('post', '/users/totp', { secret: 'JBSWY3DPEHPK3PXP', uri: URI })
    const confirmed = records('post', '/users/totp/confirm', { recoveryCodes: ['AAAAA-11111', 'BBBBB-22222'] })
    server.use(begun.handler, confirmed.handler)
    const { user } = openAsMember('/profile')
    await user.click(await screen.findByRole('button', { name: 'Set up' }))
    await user.type(screen.getByLabelText('Your password'), 'harbour-lantern-27')
    await user.click(screen.getByRole('button', { name: 'Continue' }))
    expect(await screen.findByRole('img', { name: /QR code/ })).toBeVisible()
    expect(begun.seen[0]?.body).toEqual({ password: 'harbour-lantern-27' })
    expect(screen.getByText('JBSWY3DPEHPK3PXP')).toBeVisible()
    server.use(totp({ recoveryCodesLeft: 2 }))
    await user.type(screen.getByLabelText('Authenticator code'), '123456')
    await user.click(screen.getByRole('button', { name: 'Confirm' }))
    expect(await screen.findByText('AAAAA-11111')).toBeVisible()
    expect(confirmed.seen[0]?.body).toEqual({ code: '123456' })
    await user.click(screen.getByRole('button', { name: 'I have saved them' }))
    expect(screen.queryByText('AAAAA-11111')).toBeNull()
    expect(await screen.findByText('2 recovery codes left')).toBeVisible()
  })

  it('says at the field that the password is wrong [D-A3] [D-L7]', async () => {
    const message = 'This password is wrong'
    server.use(refuses('post', '/users/totp', 422, { message, code: 'WRONG_PASSWORD', errors: { password: message } }))
    const { user } = openAsMember('/profile')
    await user.click(await screen.findByRole('button', { name: 'Set up' }))
    await user.type(screen.getByLabelText('Your password'), 'not-my-password')
    await user.click(screen.getByRole('button', { name: 'Continue' }))
    await waitFor(() => expect(screen.getByLabelText('Your password')).toHaveAccessibleDescription(message))
    expect(screen.getAllByText(message)).toHaveLength(1)
  })

  it('is turned off, and gets new recovery codes, with a fresh code [D-A3]', async () => {
    const removal = guarded('delete', '/users/totp')
    const codes = records('post', '/users/totp/recovery-codes', { recoveryCodes: ['CCCCC-33333'] })
    server.use(totp(), codes.handler, ...removal.handlers)
    const { user } = openAsMember('/profile')
    await user.click(await screen.findByRole('button', { name: 'New recovery codes' }))
    expect(await screen.findByText('CCCCC-33333')).toBeVisible()
    await user.click(screen.getByRole('button', { name: 'I have saved them' }))
    await user.click(screen.getByRole('button', { name: 'Turn off' }))
    await user.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Turn off' }))
    server.use(totp({ enrolled: false, recoveryCodesLeft: 0 }))
    await giveCode(user, '654321')
    expect(await screen.findByRole('button', { name: 'Set up' })).toBeVisible()
    expect(removal.keys).toHaveLength(2)
  })
})

describe('a request that needs a fresh second factor', () => {
  it('asks for it in a dialog, says when it is wrong, and sends the very same again [D-A3] [D-G4]', async () => {
    const withdrawal = guarded('post', '/transactions/withdraw')
    server.use(answers('get', '/payment-methods', { paymentMethods: [usdt] }), ...withdrawal.handlers)
    const { user } = openAsMember('/withdrawals')
    await user.type(await screen.findByLabelText('Amount'), '100')
    await user.click(await screen.findByRole('radio', { name: /USDT/ }))
    await user.type(screen.getByLabelText('Wallet address'), 'TVj7RNVHy6thbM7BWdSe9G6gXwKhjhdNZS')
    await user.click(screen.getByRole('button', { name: 'Request Withdrawal' }))
    await user.click(await screen.findByRole('button', { name: 'Withdraw $100.00' }))
    const dialog = await giveCode(user, '111111')
    expect(await within(dialog).findByText('This code is wrong')).toBeVisible()
    await giveCode(user, '654321')
    expect(await screen.findByText('It is done.')).toBeVisible()
    expect(withdrawal.keys).toHaveLength(2)
    expect(withdrawal.keys[0]).toBe(withdrawal.keys[1])
  })

  it('is given up where the dialog is closed [D-A3]', async () => {
    const change = guarded('put', `/users/password/${member.id}`)
    server.use(...change.handlers)
    const { user } = openAsMember('/profile')
    await user.type(await screen.findByLabelText('Old Password'), 'old-password')
    await user.type(screen.getByLabelText('New Password'), 'new-password')
    await user.click(screen.getByRole('button', { name: 'Change password' }))
    const dialog = await screen.findByRole('dialog', { name: 'Confirm it is you' })
    await user.click(await within(dialog).findByRole('button', { name: 'Cancel' }))
    expect(await screen.findByText(/^Nothing was changed/)).toBeVisible()
    expect(change.keys).toHaveLength(1)
    expect(screen.getByLabelText('Old Password')).toHaveValue('old-password')
  })
})
