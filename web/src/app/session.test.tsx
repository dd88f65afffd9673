import { act, screen, waitFor } from '@testing-library/react'
import { delay, http, HttpResponse } from 'msw'
import { describe, expect, it } from 'vitest'
import { startSession, useSession } from '@/lib/session'
import { currentPath, openApp, openAsMember, toastTexts } from '@/testing/render'
import { answers, holds, member, records, refuses, server } from '@/testing/server'

const typeLogin = async (user: ReturnType<typeof openApp>['user'], email = member.email, password = 'long-enough') => {
  await user.type(await screen.findByLabelText('Email'), email)
  await user.type(screen.getByLabelText('Password'), password)
  await user.click(screen.getByRole('button', { name: 'Login' }))
}

describe('login', () => {
  it('shows title, fields, links and button [AUTH-01]', async () => {
    openApp('/login')
    expect(await screen.findByRole('heading', { name: 'Welcome Back' })).toBeVisible()
    expect(screen.getByLabelText('Email')).toHaveAttribute('type', 'email')
    expect(screen.getByLabelText('Password')).toHaveAttribute('type', 'password')
    for (const target of ['/register', '/forgot-password', '/terms', '/privacy']) {
      expect(document.querySelector(`a[href="${target}"]`)).toBeInTheDocument()
    }
    expect(screen.getByRole('button', { name: 'Login' })).toBeEnabled()
  })

  it('says "Logging in..." and is disabled while busy [AUTH-01] [AUTH-17]', async () => {
    const held = holds('post', '/auth/login')
    server.use(held.handler)
    const { user } = openApp('/login')
    await typeLogin(user)
    expect(await screen.findByRole('button', { name: 'Logging in...' })).toBeDisabled()
    await held.asked
  })

  it('sends nothing while email or password is invalid [AUTH-07]', async () => {
    const login = records('post', '/auth/login', { user: member, token: 't' })
    server.use(login.handler)
    const { user } = openApp('/login')
    await typeLogin(user, 'not-an-email', 'short')
    expect(await screen.findByText('Invalid email address')).toBeVisible()
    expect(screen.getByText('Password must be at least 8 characters long')).toBeVisible()
    expect(login.seen).toHaveLength(0)
  })

  it('leads a verified member to the dashboard and stores user and token [AUTH-03] [AUTH-16]', async () => {
    server.use(answers('post', '/auth/login', { user: member, token: 'new-token' }))
    const { user } = openApp('/login')
    await typeLogin(user)
    await waitFor(() => expect(currentPath()).toBe('/dashboard'))
    const stored = JSON.parse(localStorage.getItem('auth') ?? '{}') as { state: { user: { id: string }; token: string } }
    expect(stored.state.user.id).toBe(member.id)
    expect(Object.keys(stored.state).sort()).toEqual(['token', 'user'])
  })

  it('leads an unverified member to the verify screen [AUTH-03] [D-S1]', async () => {
    const unverified = { ...member, isVerified: false }
    server.use(answers('post', '/auth/login', { user: unverified, token: 't' }), answers('get', '/auth/check', { user: unverified }))
    const { user } = openApp('/login')
    await typeLogin(user)
    await waitFor(() => expect(currentPath()).toBe('/verify?email=amara%40example.com'))
  })

  it('returns to the protected page the visitor asked for [D-S11] [AUTH-15]', async () => {
    server.use(answers('post', '/auth/login', { user: member, token: 't' }))
    const before = window.history.length
    const { user } = openApp('/transactions')
    await waitFor(() => expect(currentPath()).toBe('/login'))
    expect(window.history.length).toBe(before)
    await typeLogin(user)
    await waitFor(() => expect(currentPath()).toBe('/transactions'))
  })

  it('toasts a refusal and stays [MSG-01] [D-S3]', async () => {
    server.use(refuses('post', '/auth/login', 401, { message: 'Email or password is wrong' }))
    const { user } = openApp('/login')
    await typeLogin(user)
    expect(await screen.findByText('Email or password is wrong')).toBeVisible()
    expect(currentPath()).toBe('/login')
  })

  it('toasts success: false even with status 200 [MSG-02]', async () => {
    server.use(http.post('*/v1/auth/login', () => HttpResponse.json({ success: false, message: 'Not today' })))
    const { user } = openApp('/login')
    await typeLogin(user)
    expect(await screen.findByText('Not today')).toBeVisible()
  })

  it("shows the error's own message when no answer arrives [MSG-01]", async () => {
    server.use(http.post('*/v1/auth/login', () => HttpResponse.error()))
    const { user } = openApp('/login')
    await typeLogin(user)
    expect(await screen.findByText('Network Error')).toBeVisible()
    expect(screen.getByText('Please check your connection and try again.')).toBeVisible()
  })

  it('sends a logged-in, verified user on to the dashboard [AUTH-02]', async () => {
    openAsMember('/login')
    await waitFor(() => expect(currentPath()).toBe('/dashboard'))
  })

  it('shows and hides the password [MSG-03]', async () => {
    const { user } = openApp('/login')
    await user.click(await screen.findByRole('button', { name: 'Show password' }))
    expect(screen.getByLabelText('Password')).toHaveAttribute('type', 'text')
    await user.click(screen.getByRole('button', { name: 'Hide password' }))
    expect(screen.getByLabelText('Password')).toHaveAttribute('type', 'password')
  })
})

describe('registration', () => {
  it('shows its fields, the countries behind a blank option, and its links [AUTH-04] [MSG-03] [REF-01]', async () => {
    openApp('/register')
    expect(await screen.findByRole('heading', { name: 'Create an Account' })).toBeVisible()
    expect(screen.getByLabelText('Full Name')).toBeVisible()
    expect(screen.getByLabelText('Phone Number')).toHaveAttribute('placeholder', expect.stringMatching(/^\+/))
    expect(screen.getByLabelText('Password')).toHaveAttribute('placeholder', 'Min 8 characters')
    const options = [...screen.getByLabelText<HTMLSelectElement>('Country').options]
    expect(options[0]).toMatchObject({ value: '', text: 'Select Country' })
    expect(options.length).toBeGreaterThan(240)
    expect(screen.getByRole('link', { name: 'Terms of Service' })).toHaveAttribute('href', '/terms')
    expect(screen.getByRole('link', { name: 'Privacy Policy' })).toHaveAttribute('href', '/privacy')
    expect(document.querySelector('a[href="/login"]')).toBeInTheDocument()
  })

  it('names every missing field and sends nothing [AUTH-05]', async () => {
    const { user } = openApp('/register')
    await user.click(await screen.findByRole('button', { name: 'Register' }))
    for (const message of [
      'Name is required',
      'Invalid email address',
      'Phone number is required',
      'Country is required',
      'Password must be at least 8 characters long',
    ]) {
      expect(await screen.findByText(message)).toBeVisible()
    }
  })

  const fill = async (user: ReturnType<typeof openApp>['user']) => {
    await user.type(await screen.findByLabelText('Full Name'), 'Amara Lindqvist')
    await user.type(screen.getByLabelText('Email'), 'amara+new@example.com')
    await user.type(screen.getByLabelText('Phone Number'), '+46701234567')
    await user.selectOptions(screen.getByLabelText('Country'), 'Sweden')
    await user.type(screen.getByLabelText('Password'), 'a-good-password')
    await user.click(screen.getByRole('button', { name: 'Register' }))
  }

  it('stores user and token and goes to the verify screen [AUTH-06]', async () => {
    const unverified = { ...member, email: 'amara+new@example.com', isVerified: false }
    const register = records('post', '/auth/register', { user: unverified, token: 't' }, 201)
    server.use(register.handler, answers('get', '/auth/check', { user: unverified }))
    const { user } = openApp('/register')
    await fill(user)
    await waitFor(() => expect(currentPath()).toBe('/verify?email=amara%2Bnew%40example.com'))
    expect(useSession.getState()).toMatchObject({ token: 't', user: { isVerified: false } })
    expect(register.seen[0]?.body).toEqual({
      name: 'Amara Lindqvist', email: 'amara+new@example.com', phone: '+46701234567', country: 'Sweden', password: 'a-good-password',
    })
  })

  it("shows the server's field error at its field, with the focus, and its message as one toast [D-L7] [MSG-01]", async () => {
    const errors = { phone: 'This is no phone number', country: 'This is no country' }
    server.use(refuses('post', '/auth/register', 422, { message: 'Two fields need another look.', errors }))
    const { user } = openApp('/register')
    await fill(user)
    expect(await screen.findByText('This is no phone number')).toBeVisible()
    expect(screen.getByLabelText('Phone Number')).toBeInvalid()
    await waitFor(() => expect(screen.getByLabelText('Phone Number')).toHaveFocus())
    expect(toastTexts()).toEqual(['Two fields need another look.'])
  })

  it('shows no toast for what the field says already [D-L7]', async () => {
    server.use(refuses('post', '/auth/register', 422, { message: 'This is no phone number.', errors: { phone: 'This is no phone number' } }))
    const { user } = openApp('/register')
    await fill(user)
    expect(await screen.findByText('This is no phone number')).toBeVisible()
    expect(toastTexts()).toEqual([])
  })

  it('shows what is wrong with a field that is not on the screen as a toast [D-L7]', async () => {
    server.use(refuses('post', '/auth/register', 422, { message: 'Unknown referral', errors: { referral: 'Unknown referral' } }))
    const { user } = openApp('/register')
    await fill(user)
    expect(await screen.findByText('Unknown referral')).toBeVisible()
    expect(toastTexts()).toEqual(['Unknown referral'])
  })
})

describe('verification', () => {
  it('shows the email and accepts exactly six digits [AUTH-10]', async () => {
    const verify = records('post', '/auth/verify')
    server.use(verify.handler)
    const { user } = openApp('/verify?email=amara%40example.com')
    expect(await screen.findByText('amara@example.com')).toBeVisible()
    await user.type(screen.getByLabelText('6-digit code'), '12a45')
    await user.click(screen.getByRole('button', { name: 'Verify' }))
    expect(await screen.findByText('OTP must be 6 digits')).toBeVisible()
    expect(verify.seen).toHaveLength(0)
  })

  it('checks the session and goes to the dashboard [AUTH-12] [D-S5]', async () => {
    let verified = false
    server.use(
      http.post('*/v1/auth/verify', () => {
        verified = true
        return HttpResponse.json({ success: true, message: 'Verified' })
      }),
    )
    const { user } = openAsMember('/verify?email=amara%40example.com', { isVerified: false })
    server.use(
      http.get('*/v1/auth/check', () =>
        HttpResponse.json({ success: true, message: 'ok', user: { ...member, isVerified: verified }, token: 't2' }),
      ),
    )
    await user.type(await screen.findByLabelText('6-digit code'), '123456')
    await user.click(screen.getByRole('button', { name: 'Verify' }))
    await waitFor(() => expect(currentPath()).toBe('/dashboard'))
  })

  it('goes to the login when no session is stored [D-S5]', async () => {
    server.use(answers('post', '/auth/verify', {}))
    const { user } = openApp('/verify?email=amara%40example.com')
    await user.type(await screen.findByLabelText('6-digit code'), '123456')
    await user.click(screen.getByRole('button', { name: 'Verify' }))
    await waitFor(() => expect(currentPath()).toBe('/login'))
  })

  it('leads whoever enters the code of a registration elsewhere to a new password [D-A2]', async () => {
    server.use(answers('post', '/auth/verify', { resetToken: 'a+token' }))
    const { user } = openApp('/verify?email=amara%40example.com')
    await user.type(await screen.findByLabelText('6-digit code'), '123456')
    await user.click(screen.getByRole('button', { name: 'Verify' }))
    await waitFor(() => expect(currentPath()).toBe('/reset-password'))
    expect(screen.queryByText('This page needs the link from your email')).not.toBeInTheDocument()
    await waitFor(() => expect(window.location.hash).toBe(''))
  })

  it('sends the handle of the registration along, and that of a new code [D-A2]', async () => {
    const unverified = { ...member, isVerified: false }
    const resend = records('post', '/auth/resend', { verification: 'second' })
    const verify = records('post', '/auth/verify')
    server.use(
      resend.handler,
      verify.handler,
      answers('post', '/auth/login', { user: unverified, token: 't', verification: 'first' }),
      answers('get', '/auth/check', { user: unverified }),
    )
    const { user } = openApp('/login')
    await user.type(await screen.findByLabelText('Email'), 'amara@example.com')
    await user.type(screen.getByLabelText('Password'), 'a-good-password')
    await user.click(screen.getByRole('button', { name: 'Login' }))
    await user.click(await screen.findByRole('button', { name: 'Resend' }))
    await waitFor(() => expect(resend.seen[0]?.body).toEqual({ email: 'amara@example.com', verification: 'first' }))
    await user.type(screen.getByLabelText('6-digit code'), '123456')
    await user.click(screen.getByRole('button', { name: 'Verify' }))
    await waitFor(() =>
      expect(verify.seen[0]?.body).toEqual({ email: 'amara@example.com', otp: '123456', verification: 'second' }),
    )
  })

  it('sends no handle of another email [D-A2]', async () => {
    sessionStorage.setItem('verification', JSON.stringify({ email: 'somebody@example.com', handle: 'theirs' }))
    const verify = records('post', '/auth/verify')
    server.use(verify.handler)
    const { user } = openApp('/verify?email=amara%40example.com')
    await user.type(await screen.findByLabelText('6-digit code'), '123456')
    await user.click(screen.getByRole('button', { name: 'Verify' }))
    await waitFor(() => expect(verify.seen[0]?.body).toEqual({ email: 'amara@example.com', otp: '123456' }))
  })

  it('resends with a loading flag of its own [AUTH-10]', async () => {
    const held = holds('post', '/auth/resend')
    server.use(held.handler)
    const { user } = openApp('/verify?email=amara%40example.com')
    await user.click(await screen.findByRole('button', { name: 'Resend' }))
    expect(screen.getByRole('button', { name: 'Resend' })).toBeDisabled()
    expect(screen.getByRole('button', { name: 'Verify' })).toBeEnabled()
    await held.asked
  })

  it('without an email says so and sends nothing [AUTH-11]', async () => {
    const verify = records('post', '/auth/verify')
    const resend = records('post', '/auth/resend')
    server.use(verify.handler, resend.handler)
    const { user } = openApp('/verify')
    expect(await screen.findByText('Email not found')).toBeVisible()
    await user.type(screen.getByLabelText('6-digit code'), '123456')
    await user.click(screen.getByRole('button', { name: 'Verify' }))
    await user.click(screen.getByRole('button', { name: 'Resend' }))
    expect(verify.seen).toHaveLength(0)
    expect(resend.seen).toHaveLength(0)
  })
})

describe('password reset', () => {
  it('asks for the link with form data [AUTH-08] [API-05]', async () => {
    const forgot = records('post', '/auth/forgot-password')
    server.use(forgot.handler)
    const { user } = openApp('/forgot-password')
    expect(await screen.findByText('A reset link will be sent to your email.')).toBeVisible()
    expect(screen.getByRole('link', { name: 'Remember your password?' })).toHaveAttribute('href', '/login')
    await user.click(screen.getByRole('button', { name: 'Continue' }))
    expect(await screen.findByText('Invalid email address')).toBeVisible()
    await user.type(screen.getByLabelText('Email'), 'amara@example.com')
    await user.click(screen.getByRole('button', { name: 'Continue' }))
    await waitFor(() => expect(forgot.seen).toHaveLength(1))
    expect(forgot.seen[0]?.headers.get('Content-Type')).toMatch(/^multipart\/form-data/)
    expect(forgot.seen[0]?.body).toContain('amara@example.com')
    expect(await screen.findByText('If amara@example.com has an account, a link arrives within minutes. It works for 30 minutes.')).toBeVisible()
    expect(screen.getByLabelText('Email')).toHaveValue('')
  })

  it('takes the token out of the address bar and sends it [D-S6] [API-06]', async () => {
    const reset = records('post', '/auth/reset-password')
    server.use(reset.handler)
    const { user } = openApp('/reset-password#token=secret-token')
    await screen.findByText('Passwords are encrypted.')
    expect(window.location.hash).toBe('')
    await user.type(screen.getByLabelText('New Password'), 'a-good-password')
    await user.type(screen.getByLabelText('Confirm Password'), 'a-good-password')
    await user.click(screen.getByRole('button', { name: 'Reset Password' }))
    await waitFor(() => expect(currentPath()).toBe('/login'))
    for (const part of ['secret-token', 'confirmPassword', 'a-good-password']) expect(reset.seen[0]?.body).toContain(part)
  })

  it('names the account to a password manager [F21]', async () => {
    const { user } = openApp('/reset-password#token=x&email=a%2Bb%40example.com')
    await user.click(await screen.findByLabelText('New Password'))
    expect(document.querySelector('form [autocomplete=username]')).toHaveValue('a+b@example.com')
    expect(window.location.hash).toBe('')
  })

  it('needs two equal passwords of at least 8 characters [AUTH-09]', async () => {
    const { user } = openApp('/reset-password#token=x')
    await user.type(await screen.findByLabelText('New Password'), 'short')
    await user.type(screen.getByLabelText('Confirm Password'), 'short')
    await user.click(screen.getByRole('button', { name: 'Reset Password' }))
    expect(await screen.findAllByText('Password must be at least 8 characters long')).toHaveLength(2)
    await user.type(screen.getByLabelText('New Password'), '-but-longer')
    await user.type(screen.getByLabelText('Confirm Password'), '-but-other')
    expect(await screen.findByText('Passwords do not match')).toBeVisible()
  })
})

describe('the session', () => {
  it('shows a loading indicator while it is checked [AUTH-14]', async () => {
    openAsMember('/dashboard')
    const held = holds('get', '/auth/check')
    server.use(held.handler)
    expect(await screen.findByText('Checking your session')).toBeInTheDocument()
    await held.asked
  })

  it('that the check refuses is cleared, with its message, and leads to the login [AUTH-14]', async () => {
    openAsMember('/dashboard')
    server.use(refuses('get', '/auth/check', 401, { message: 'Your session has ended' }))
    await waitFor(() => expect(currentPath()).toBe('/login'))
    expect(await screen.findByText('Your session has ended')).toBeVisible()
    expect(useSession.getState()).toMatchObject({ user: null, token: null })
  })

  it('is not asked about for a visitor, and a failed check stays on a public page [D-S2]', async () => {
    let asked = 0
    server.use(
      http.get('*/v1/auth/check', () => {
        asked++
        return HttpResponse.json({ success: false, message: 'Your session has ended' }, { status: 401 })
      }),
    )
    const visitor = openApp('/terms')
    await screen.findByRole('heading', { level: 1 })
    expect(asked).toBe(0)
    visitor.unmount()
    startSession(member, 'stored-token')
    openApp('/terms')
    await waitFor(() => expect(useSession.getState().token).toBeNull())
    expect(currentPath()).toBe('/terms')
  })

  it('takes over the fresh token of the check [D-S4]', async () => {
    openAsMember('/dashboard')
    await waitFor(() => expect(useSession.getState().token).toBe('fresh-token'))
  })

  it('ends with a 401 of any member call, and returns to the page after login [D-S11] [MSG-01]', async () => {
    server.use(refuses('get', '/transactions/user', 401, { message: 'Please log in again' }))
    openAsMember('/transactions')
    await waitFor(() => expect(currentPath()).toBe('/login'))
    expect(await screen.findByText('Please log in again')).toBeVisible()
    expect(window.history.state).toMatchObject({ usr: { from: '/transactions' } })
  })

  it('that lost its verification leads to the verify screen [D-S1]', async () => {
    openAsMember('/transactions')
    server.use(
      http.get('*/v1/transactions/user', () => {
        server.use(answers('get', '/auth/check', { user: { ...member, isVerified: false }, token: 't' }))
        return HttpResponse.json({ success: false, message: 'Verify your email first', code: 'EMAIL_NOT_VERIFIED' }, { status: 403 })
      }),
    )
    await waitFor(() => expect(currentPath()).toBe('/verify?email=amara%40example.com'))
  })

  it('that was verified a moment ago survives an answer that has not heard of it [D-S5]', async () => {
    let asked = 0
    server.use(
      http.get('*/v1/transactions/user', () =>
        ++asked === 1
          ? HttpResponse.json({ success: false, message: 'Verify your email first', code: 'EMAIL_NOT_VERIFIED' }, { status: 403 })
          : HttpResponse.json({ success: true, transactions: [] }),
      ),
    )
    openAsMember('/transactions')
    expect(await screen.findByText('No transactions found.')).toBeVisible()
    expect(currentPath()).toBe('/transactions')
  })

  it('ends on logout, on the server too, and goes to the login [AUTH-13]', async () => {
    const logout = records('post', '/auth/logout')
    server.use(logout.handler)
    const { user } = openAsMember('/dashboard')
    await user.click(await screen.findByRole('button', { name: 'Logout' }))
    await waitFor(() => expect(currentPath()).toBe('/login'))
    expect(logout.seen[0]?.headers.get('Authorization')).toMatch(/^Bearer /)
    expect(useSession.getState()).toMatchObject({ user: null, token: null })
    expect(window.history.state).not.toMatchObject({ usr: { from: expect.anything() as unknown } })
  })

  it('is over for what was asked before the logout: its refusal is not told [AUTH-13]', async () => {
    let ask = () => {}
    let leave = () => {}
    const asked = new Promise<void>((resolve) => (ask = resolve))
    const leaving = new Promise<void>((resolve) => (leave = resolve))
    server.use(
      http.get('*/v1/transactions/user', async () => {
        ask()
        await leaving
        return HttpResponse.json({ success: false, message: 'Please log in again' }, { status: 401 })
      }),
      http.post('*/v1/auth/logout', async () => {
        leave()
        await delay(100)
        return HttpResponse.json({ success: true, message: 'Bye' })
      }),
    )
    const { user } = openAsMember('/dashboard')
    await asked
    await user.click(await screen.findByRole('button', { name: 'Logout' }))
    await waitFor(() => expect(currentPath()).toBe('/login'))
    expect(await screen.findByLabelText('Email')).toBeVisible()
    expect(screen.queryByText('Please log in again')).not.toBeInTheDocument()
    expect(window.history.state).not.toMatchObject({ usr: { from: expect.anything() as unknown } })
  })

  it('asks nothing more for a screen that opens during the logout [AUTH-13]', async () => {
    const trades = records('get', '/trades')
    let leave = () => {}
    const leaving = new Promise<void>((resolve) => (leave = resolve))
    server.use(
      trades.handler,
      http.post('*/v1/auth/logout', async () => {
        await leaving
        return HttpResponse.json({ success: true, message: 'Bye' })
      }),
    )
    const { user } = openAsMember('/profile')
    await user.click(await screen.findByRole('button', { name: 'Logout' }))
    await user.click(screen.getByRole('link', { name: 'Dashboard' }))
    expect(await screen.findByRole('heading', { level: 1, name: 'Dashboard' })).toBeVisible()
    leave()
    await waitFor(() => expect(currentPath()).toBe('/login'))
    expect(trades.seen).toHaveLength(0)
  })

  it('begins here when another tab logs in, also after a logout [D-S9]', async () => {
    const { user } = openAsMember('/dashboard')
    await user.click(await screen.findByRole('button', { name: 'Logout' }))
    await waitFor(() => expect(currentPath()).toBe('/login'))
    act(() => {
      localStorage.setItem('auth', JSON.stringify({ state: { user: member, token: 'theirs' }, version: 0 }))
      window.dispatchEvent(new StorageEvent('storage', { key: 'auth', newValue: localStorage.getItem('auth') }))
    })
    await waitFor(() => expect(currentPath()).toBe('/dashboard'))
    expect(useSession.getState()).toMatchObject({ user: { id: member.id }, left: false })
  })

  it('ends here when another tab logs out [D-S9]', async () => {
    openAsMember('/dashboard')
    await screen.findByRole('heading', { name: 'Dashboard' })
    act(() => {
      localStorage.setItem('auth', JSON.stringify({ state: { user: null, token: null }, version: 0 }))
      window.dispatchEvent(new StorageEvent('storage', { key: 'auth', newValue: localStorage.getItem('auth') }))
    })
    await waitFor(() => expect(currentPath()).toBe('/login'))
  })
})

describe('the link of a security mail', () => {
  it.each([
    ['/undo', '/auth/undo', 'Undo the change', 'Your old email address is restored', 'D-A1'],
    ['/not-me', '/auth/not-me', 'Secure my account', 'All sessions have ended', 'D-A6'],
  ])('%s waits for a press, sends the token of the fragment, and ends the session here', async (path, route, label, done) => {
    const act = records('post', route)
    server.use(act.handler)
    const { user } = openAsMember(`${path}#token=secret-token`)
    const button = await screen.findByRole('button', { name: label })
    await waitFor(() => expect(window.location.hash).toBe(''))
    expect(act.seen).toHaveLength(0)
    await user.click(button)
    expect(await screen.findByText(done)).toBeVisible()
    expect(act.seen[0]?.body).toEqual({ token: 'secret-token' })
    expect(useSession.getState().token).toBeNull()
  })

  it('says whom to ask when the old address is taken [D-M10]', async () => {
    server.use(answers('post', '/auth/undo', { message: 'x', isAddressTaken: true }))
    const { user } = openApp('/undo#token=x')
    await user.click(await screen.findByRole('button', { name: 'Undo the change' }))
    expect(await screen.findByText('Your account is frozen, and all sessions have ended')).toBeVisible()
    expect(screen.queryByText('Your old email address is restored')).not.toBeInTheDocument()
    expect(screen.getByRole('link', { name: 'support' })).toBeVisible()
  })

  it('that is dead says what to do instead [D-A6]', async () => {
    server.use(refuses('post', '/auth/not-me', 422, { message: 'This link has already been used or has expired', code: 'INVALID_LINK' }))
    const { user } = openApp('/not-me#token=x')
    await user.click(await screen.findByRole('button', { name: 'Secure my account' }))
    expect(await screen.findByText('This link has already been used or has expired')).toBeVisible()
    expect(screen.queryByRole('button', { name: 'Secure my account' })).not.toBeInTheDocument()
    expect(screen.getByRole('link', { name: 'Set a new password' })).toHaveAttribute('href', '/forgot-password')
  })

  it('without its token asks for the mail [D-A6]', async () => {
    openApp('/undo')
    expect(await screen.findByText('This page needs the link from your email')).toBeVisible()
    expect(screen.queryByRole('button', { name: 'Undo the change' })).not.toBeInTheDocument()
  })
})
