import { screen, waitFor } from '@testing-library/react'
import { http, HttpResponse } from 'msw'
import { describe, expect, it } from 'vitest'
import { useSession } from '@/lib/session'
import { currentPath, openApp, openAsMember, toastTexts } from '@/testing/render'
import { answers, holds, member, records, refuses, server } from '@/testing/server'

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
