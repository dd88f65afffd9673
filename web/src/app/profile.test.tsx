import { screen, waitFor, within } from '@testing-library/react'
import { http, HttpResponse } from 'msw'
import { describe, expect, it } from 'vitest'
import defaultAvatar from '@/assets/default-avatar.svg?inline'
import type { User } from '@/lib/api-types'
import { currentPath, openAsMember } from '@/testing/render'
import { own, png, usdt } from '@/testing/samples'
import { answers, holds, member, records, refuses, server } from '@/testing/server'

describe('the photo', () => {
  const photo = () => png('me.png')

  it('is previewed, then uploaded, then cleared [PROF-01] [API-17]', async () => {
    const upload = records('put', `/users/image/${member.id}`)
    server.use(upload.handler)
    const { user } = openAsMember('/profile')
    const shown = () => within(screen.getByRole('main')).getByAltText('Photo of Amara Lindqvist')
    const input = await screen.findByLabelText('Change photo')
    expect(shown()).toHaveAttribute('src', defaultAvatar)
    await user.upload(input, photo())
    await user.click(await screen.findByRole('button', { name: 'Upload photo' }))
    await waitFor(() => expect(upload.seen[0]?.body).toEqual({ image: expect.stringMatching(/^data:image\/png;base64,/) as unknown }))
    expect(await screen.findByLabelText('Change photo')).toBeInTheDocument()
    expect(shown()).toHaveAttribute('src', defaultAvatar)
  })

  it('can be cancelled, and nothing is sent [PROF-01]', async () => {
    const upload = records('put', `/users/image/${member.id}`)
    server.use(upload.handler)
    const { user } = openAsMember('/profile')
    await user.upload(await screen.findByLabelText('Change photo'), photo())
    const preview = within(screen.getByRole('main')).getByAltText('Photo of Amara Lindqvist')
    await waitFor(() => expect(preview).toHaveAttribute('src', expect.stringMatching(/^data:/)))
    await user.click(await screen.findByRole('button', { name: 'Cancel' }))
    expect(screen.getByLabelText('Change photo')).toBeInTheDocument()
    expect(upload.seen).toHaveLength(0)
  })
})

describe('the details', () => {
  it('are saved with their input types [PROF-02] [API-18]', async () => {
    const save = records('put', `/users/profile/${member.id}`)
    server.use(save.handler)
    const { user } = openAsMember('/profile')
    const phone = await screen.findByLabelText('Phone Number')
    expect(phone).toHaveAttribute('type', 'tel')
    expect(screen.getByLabelText('Email')).toHaveAttribute('type', 'email')
    await user.clear(phone)
    await user.type(phone, '+46 1')
    await user.click(screen.getByRole('button', { name: 'Save' }))
    await waitFor(() => expect(save.seen[0]?.body).toEqual({ name: member.name, email: member.email, phone: '+46 1', country: 'Sweden' }))
    expect(currentPath()).toBe('/profile')
  })

  it('say "Saving..." while busy [PROF-02] [AUTH-17]', async () => {
    const held = holds('put', '/users/profile/:id')
    server.use(held.handler)
    const { user } = openAsMember('/profile')
    await user.click(await screen.findByRole('button', { name: 'Save' }))
    expect(await screen.findByRole('button', { name: 'Saving...' })).toBeDisabled()
    await held.asked
  })

  it('with a new email take the password and lead to its confirmation [D-S12] [D-A1]', async () => {
    const save = records('put', `/users/profile/${member.id}`)
    server.use(save.handler)
    const { user } = openAsMember('/profile')
    const email = await screen.findByLabelText('Email')
    expect(screen.queryByLabelText('Your password')).not.toBeInTheDocument()
    await user.clear(email)
    await user.type(email, 'new@example.com')
    await user.click(screen.getByRole('button', { name: 'Save' }))
    expect(await screen.findByText('Please enter your password to change your email address')).toBeVisible()
    await waitFor(() => expect(screen.getByLabelText('Your password')).toHaveFocus())
    expect(save.seen).toHaveLength(0)
    await user.type(screen.getByLabelText('Your password'), 'my password ')
    await user.click(screen.getByRole('button', { name: 'Save' }))
    await waitFor(() => expect(currentPath()).toBe('/verify?email=new%40example.com'))
    expect(save.seen[0]?.body).toMatchObject({ email: 'new@example.com', currentPassword: 'my password ' })
  })

  it('with a new email show that the password was wrong at its field [D-A1] [D-L7]', async () => {
    const errors = { currentPassword: 'This password is wrong' }
    server.use(refuses('put', '/users/profile/:id', 422, { message: 'This password is wrong', code: 'WRONG_PASSWORD', errors }))
    const { user } = openAsMember('/profile')
    const email = await screen.findByLabelText('Email')
    await user.type(email, 'x')
    await user.type(screen.getByLabelText('Your password'), 'not my password')
    await user.click(screen.getByRole('button', { name: 'Save' }))
    expect(await screen.findByText('This password is wrong')).toBeVisible()
    await user.type(email, '{Backspace}')
    expect(screen.queryByLabelText('Your password')).not.toBeInTheDocument()
  })

  it('fall back to "An error occurred" [MSG-01]', async () => {
    server.use(refuses('put', '/users/profile/:id', 500, { message: '' }))
    const { user } = openAsMember('/profile')
    await user.click(await screen.findByRole('button', { name: 'Save' }))
    expect(await screen.findByText('An error occurred')).toBeVisible()
  })
})

describe('the password', () => {
  const change = async (user: ReturnType<typeof openAsMember>['user'], before: string, after: string) => {
    await user.type(await screen.findByLabelText('Old Password'), before)
    await user.type(screen.getByLabelText('New Password'), after)
    await user.click(screen.getByRole('button', { name: 'Change password' }))
  }

  it('needs 8 characters twice [PROF-03]', async () => {
    const { user } = openAsMember('/profile')
    await change(user, 'short', 'short')
    expect(await screen.findByText('Old password must be at least 8 characters')).toBeVisible()
    expect(screen.getByText('New password must be at least 8 characters')).toBeVisible()
  })

  it('is sent and the form is empty again [PROF-03] [API-19]', async () => {
    const save = records('put', `/users/password/${member.id}`)
    server.use(save.handler)
    const { user } = openAsMember('/profile')
    await change(user, 'old-password', 'new-password')
    await waitFor(() => expect(save.seen[0]?.body).toEqual({ oldPassword: 'old-password', newPassword: 'new-password' }))
    await waitFor(() => expect(screen.getByLabelText('Old Password')).toHaveValue(''))
    expect(screen.getByLabelText('New Password')).toHaveValue('')
  })
})

const session = { createdAt: '2026-03-05T14:07:00Z', lastSeenAt: '2026-03-05T14:07:00Z', device: 'Safari on iPhone', address: '203.0.113.0/24' }

it('lists the sessions and ends another one [D-S4]', async () => {
  const end = records('delete', '/auth/sessions/s2')
  server.use(
    end.handler,
    answers('get', '/auth/sessions', {
      sessions: [{ ...session, id: 's1', current: true, device: 'Chromium on Linux' }, { ...session, id: 's2', current: false }],
    }),
  )
  const { user } = openAsMember('/profile')
  expect(await screen.findByText('This device')).toBeVisible()
  expect(screen.queryByRole('button', { name: 'End the session on Chromium on Linux' })).not.toBeInTheDocument()
  await user.click(screen.getByRole('button', { name: 'End the session on Safari on iPhone' }))
  await waitFor(() => expect(end.seen).toHaveLength(1))
})

it('ends all other sessions at once [D-S4]', async () => {
  const ended: string[] = []
  let others = ['s2', 's3']
  server.use(
    http.get('*/v1/auth/sessions', () =>
      HttpResponse.json({ success: true, sessions: ['s1', ...others].map((id) => ({ ...session, id, current: id === 's1' })) }),
    ),
    http.delete('*/v1/auth/sessions/:id', ({ params }) => {
      ended.push(String(params['id']))
      others = others.filter((id) => id !== params['id'])
      return HttpResponse.json({ success: true, message: 'Done' })
    }),
  )
  const { user } = openAsMember('/profile')
  const button = await screen.findByRole('button', { name: 'End all other sessions' })
  await user.click(button)
  await waitFor(() => expect(button).not.toBeInTheDocument())
  expect(ended.toSorted()).toEqual(['s2', 's3'])
})

it('tells what happened to the account, page by page, refusals by another name [D-A7]', async () => {
  const event = { at: '2026-03-05T14:07:00Z', refused: false, device: 'Firefox on Linux', addressBlock: '203.0.113.0/24' }
  server.use(
    http.get('*/v1/users/activity', ({ request }) =>
      HttpResponse.json(
        new URL(request.url).searchParams.get('cursor') === '7'
          ? { success: true, events: [{ ...event, kind: 'frozen', device: undefined, addressBlock: undefined }] }
          : { success: true, events: [{ ...event, kind: 'sign_in', refused: true }, { ...event, kind: 'sign_in' }, { ...event, kind: 'of_next_year' }], nextCursor: '7' },
      ),
    ),
  )
  const { user } = openAsMember('/profile/activity')
  const rows = (await screen.findAllByText('Firefox on Linux · 203.0.113.0/24')).map((origin) => origin.closest('li'))
  expect(rows).toHaveLength(3)
  for (const [index, text] of ['Login failed', 'Logged in', 'of_next_year'].entries()) expect(rows[index]).toHaveTextContent(text)
  await user.click(screen.getByRole('button', { name: 'Show more' }))
  expect(await screen.findByText('Account frozen')).toBeVisible()
  expect(screen.queryByRole('button', { name: 'Show more' })).not.toBeInTheDocument()
})

it('groups the activity by day, counts repetitions, and shows one kind alone [D-A7]', async () => {
  const login = { kind: 'sign_in', refused: false, device: 'Firefox on Linux', addressBlock: '203.0.113.0/24' }
  const events = [
    { ...login, at: '2026-03-05T14:09:00Z' }, { ...login, at: '2026-03-05T14:08:00Z' }, { ...login, at: '2026-03-05T14:07:00Z', refused: true },
    { kind: 'password_changed', refused: false, at: '2026-03-04T14:07:00Z' }, { ...login, at: '2026-03-04T14:06:00Z' },
    { ...login, at: '2026-03-02T14:06:00Z' },
  ]
  server.use(answers('get', '/users/activity', { events }))
  const { user } = openAsMember('/profile/activity')
  const day = async (name: RegExp) => within(await screen.findByRole('list', { name }))
  expect((await day(/^Mar 5, 2026$/)).getAllByRole('listitem')).toHaveLength(2)
  expect((await day(/^Mar 5, 2026$/)).getByText(/^2 times, last at /)).toBeVisible()
  // Logins alike are one entry over days, which lists each time.
  const since = (await day(/^Mar 4, 2026$/)).getByText(/^2 times since Mar 2, 2026, last at /)
  expect(since).toBeVisible()
  expect(screen.queryByRole('list', { name: /^Mar 2, 2026$/ })).toBeNull()
  await user.click(since)
  expect(screen.getByText(/^Mar 2, /)).toBeVisible()
  await user.click(screen.getByRole('radio', { name: 'Changes' }))
  expect((await day(/^Mar 4, 2026$/)).getAllByRole('listitem')).toHaveLength(1)
  expect(screen.queryByRole('list', { name: /^Mar 5, 2026$/ })).toBeNull()
  await user.click(screen.getByRole('radio', { name: 'Refused' }))
  expect(await screen.findByText('Login failed')).toBeVisible()
  expect(screen.queryByText('Logged in')).toBeNull()
})

describe('the download of all data [D-A12]', () => {
  const saved = () => {
    const files: Blob[] = []
    Object.assign(URL, { createObjectURL: (file: Blob) => `blob:${files.push(file)}`, revokeObjectURL: () => undefined })
    return files
  }

  it('saves the archive', async () => {
    const files = saved()
    server.use(http.get('*/v1/users/export', () => new HttpResponse('PK', { headers: { 'Content-Type': 'application/zip' } })))
    const { user } = openAsMember('/profile')
    await user.click(await screen.findByRole('button', { name: 'Download your data' }))
    await waitFor(() => expect(files).toHaveLength(1))
    expect(await files[0]?.text()).toBe('PK')
  })

  it('says why not yet', async () => {
    const files = saved()
    server.use(refuses('get', '/users/export', 429, { message: 'Too many requests. Please wait.' }))
    const { user } = openAsMember('/profile')
    await user.click(await screen.findByRole('button', { name: 'Download your data' }))
    expect(await screen.findByText('Too many requests. Please wait.')).toBeVisible()
    expect(files).toHaveLength(0)
  })
})

describe('payment methods', () => {
  const openMethods = (path: string) => {
    server.use(answers('get', '/payment-methods', { paymentMethods: [usdt, own] }))
    return openAsMember(path)
  }

  it('asks for the code of a saved address that is not confirmed [D-A4]', async () => {
    const confirm = records('post', '/payment-methods/pm-own/confirm')
    server.use(confirm.handler, answers('get', '/payment-methods', { paymentMethods: [usdt, { ...own, needsConfirmation: true }] }))
    const { user } = openAsMember('/payment-methods')
    expect(await screen.findByText(/^Not confirmed yet/)).toBeVisible()
    await user.click(screen.getByRole('button', { name: /^Enter the code for/ }))
    await user.type(screen.getByLabelText('6-digit code'), '012345')
    server.use(answers('get', '/payment-methods', { paymentMethods: [usdt, { ...own, needsConfirmation: false }] }))
    await user.click(screen.getByRole('button', { name: 'Confirm address' }))
    await waitFor(() => expect(screen.queryByText(/^Not confirmed yet/)).not.toBeInTheDocument())
    expect(confirm.seen[0]?.body).toEqual({ code: '012345' })
  })

  it('are reachable from profile and withdrawals [D-M4]', async () => {
    const { unmount } = openMethods('/profile')
    expect(await screen.findByRole('link', { name: /Payment methods/ })).toHaveAttribute('href', '/payment-methods')
    unmount()
    openMethods('/withdrawals')
    expect(await screen.findByRole('link', { name: 'Payment methods' })).toHaveAttribute('href', '/payment-methods')
  })

  it('are added, and the list opens [PAY-01] [API-20] [D-M3]', async () => {
    const add = records('post', '/payment-methods', {}, 201)
    server.use(add.handler)
    const { user } = openMethods('/payment-methods/add')
    await screen.findByRole('option', { name: 'USDT on TRC20' })
    await user.selectOptions(screen.getByLabelText('Network'), 'USDT on TRC20')
    await user.type(screen.getByLabelText('Wallet address'), own.address)
    await user.click(screen.getByRole('button', { name: 'Add payment method' }))
    await waitFor(() => expect(currentPath()).toBe('/payment-methods'))
    expect(add.seen[0]?.body).toMatchObject({ currency: 'USDT', network: 'TRC20', address: own.address })
    expect(add.seen[0]?.headers.get('Idempotency-Key')).toBeTruthy()
  })

  it('are edited, and the list opens [PAY-01] [API-21]', async () => {
    const edit = records('put', '/payment-methods/pm-own')
    server.use(edit.handler)
    const { user } = openMethods('/payment-methods/pm-own/edit')
    const label = await screen.findByLabelText(/^Label/)
    expect(label).toHaveValue('My wallet')
    await user.clear(label)
    await user.type(label, 'Cold storage')
    await user.click(screen.getByRole('button', { name: 'Save changes' }))
    await waitFor(() => expect(currentPath()).toBe('/payment-methods'))
    expect(edit.seen[0]?.body).toMatchObject({ label: 'Cold storage' })
  })

  it('of the platform cannot be edited [D-M1]', async () => {
    openMethods('/payment-methods/pm-usdt/edit')
    expect(await screen.findByText('Payment method not found')).toBeVisible()
  })

  it('are deleted after a question [PAY-01] [API-22]', async () => {
    const remove = records('delete', '/payment-methods/pm-own')
    server.use(remove.handler)
    const { user } = openMethods('/payment-methods')
    await user.click(await screen.findByRole('button', { name: 'Delete My wallet' }))
    expect(remove.seen).toHaveLength(0)
    await user.click(screen.getByRole('button', { name: 'Delete' }))
    await waitFor(() => expect(remove.seen).toHaveLength(1))
  })
})

describe('closing the account', () => {
  const emptied = { wallet: { balance: 0, bonus: 25.5, held: 0, invested: 0 } }
  const open = async (changes: Partial<User> = emptied) => {
    const { user } = openAsMember('/profile', changes)
    await user.click(await screen.findByRole('button', { name: 'Close account' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Close your account?' }))
    return { user, dialog }
  }

  it('takes the password, says when it closes, and keeps the account until then [D-A12] [D-M5]', async () => {
    const close = records('post', '/users/close')
    server.use(close.handler)
    const { user, dialog } = await open()
    expect(dialog.getByText(/closes in 24 hours/)).toBeVisible()
    await user.type(dialog.getByLabelText('Your password'), 'correct horse')
    server.use(answers('get', '/auth/check', { user: { ...member, closesAt: '2026-11-27T09:30:00Z' } }))
    await user.click(dialog.getByRole('button', { name: 'Close account' }))
    await waitFor(() => expect(close.seen[0]?.body).toEqual({ password: 'correct horse' }))
    expect(await screen.findByText(/It closes for good on November 27, 2026/)).toBeVisible()
    const keep = records('delete', '/users/close')
    server.use(keep.handler, answers('get', '/auth/check', { user: member }))
    await user.click(screen.getByRole('button', { name: 'Keep my account' }))
    expect(await screen.findByRole('button', { name: 'Close account' })).toBeVisible()
    expect(keep.seen).toHaveLength(1)
    expect(currentPath()).toBe('/profile')
  })

  it('lists what stands in the way, with the place to end it [D-A12]', async () => {
    server.use(refuses('post', '/users/close', 409, { message: 'In use', code: 'ACCOUNT_IN_USE', matters: ['BALANCE', 'TRADE', 'NEWER'] }))
    const { user, dialog } = await open()
    await user.type(dialog.getByLabelText('Your password'), 'correct horse')
    await user.click(dialog.getByRole('button', { name: 'Close account' }))
    const alert = within(await dialog.findByRole('alert'))
    expect(alert.getAllByRole('listitem')).toHaveLength(3)
    expect(alert.getByRole('link', { name: 'Withdraw it' })).toHaveAttribute('href', '/withdrawals')
    expect(alert.getByRole('link', { name: 'Close them' })).toHaveAttribute('href', '/investments')
    expect(alert.getByText(/Something is still open/)).toBeVisible()
    expect(currentPath()).toBe('/profile')
  })

  it('gives up a bonus once the member says so, and pays out what is left in the same call [D-M5]', async () => {
    const close = records('post', '/users/close', { payout: { id: 'w1', needsConfirmation: true } })
    server.use(close.handler, answers('get', '/payment-methods', { paymentMethods: [usdt, own] }))
    const { user, dialog } = await open({})
    expect(await dialog.findByText(/balance of \$1,000\.00 is paid out/)).toBeVisible()
    await user.click(dialog.getByRole('checkbox', { name: /give up my bonus of \$25\.50/ }))
    await user.type(dialog.getByLabelText('Your password'), 'correct horse')
    await user.click(dialog.getByRole('button', { name: 'Close account' }))
    expect(dialog.getByText('Choose a network')).toBeVisible()
    expect(dialog.getByText('Enter a wallet address')).toBeVisible()
    expect(close.seen).toHaveLength(0)
    await user.click(await dialog.findByRole('radio', { name: /USDT/ }))
    await user.selectOptions(dialog.getByLabelText('Send to'), own.id)
    expect(dialog.getByText('$975.00')).toBeVisible()
    await user.click(dialog.getByRole('button', { name: 'Close account' }))
    const payout = { method: usdt.id, address: own.address }
    await waitFor(() => expect(close.seen[0]?.body).toEqual({ password: 'correct horse', giveUpBonus: true, payout }))
    await waitFor(() => expect(currentPath()).toBe('/transactions/w1'))
  })

  it('asks for no second payout while one is open, and says what the closing waits for [D-M5]', async () => {
    const { dialog } = await open({ isWithdrawalPending: true })
    expect(dialog.getByText(/You have \$1,000\.00, and a withdrawal is open/)).toBeVisible()
    expect(dialog.queryByLabelText('Wallet address')).not.toBeInTheDocument()
  })

  it('shows what is wrong with the address at its field [D-M5]', async () => {
    server.use(
      refuses('post', '/users/close', 422, { message: 'Please check', code: 'VALIDATION_FAILED', errors: { address: 'This is no address of TRC20.' } }),
      answers('get', '/payment-methods', { paymentMethods: [usdt] }),
    )
    const { user, dialog } = await open({})
    await user.click(await dialog.findByRole('radio', { name: /USDT/ }))
    await user.type(dialog.getByLabelText('Wallet address'), 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8')
    await user.type(dialog.getByLabelText('Your password'), 'correct horse')
    await user.click(dialog.getByRole('button', { name: 'Close account' }))
    expect(await dialog.findByText('This is no address of TRC20.')).toBeVisible()
  })

  it('shows a wrong password at its field [D-A12]', async () => {
    server.use(refuses('post', '/users/close', 422, { message: 'Wrong', code: 'WRONG_PASSWORD', errors: { password: 'This password is wrong' } }))
    const { user, dialog } = await open()
    await user.type(dialog.getByLabelText('Your password'), 'wrong horse')
    await user.click(dialog.getByRole('button', { name: 'Close account' }))
    expect(await dialog.findByText('This password is wrong')).toBeVisible()
  })
})
