import { screen, waitFor } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { useSession } from '@/lib/session'
import { currentPath, openApp, openAsMember } from '@/testing/render'
import { answers, records, refuses, server } from '@/testing/server'

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
    expect((await screen.findByText('amara@example.com')).parentElement).toHaveTextContent(
      'If amara@example.com has an account, a link arrives within minutes. It works for 30 minutes.',
    )
    expect(screen.queryByLabelText('Email')).toBeNull()
    expect(screen.getByRole('button', { name: /^Send again in \d+ s$/ })).toBeDisabled()
    await user.click(screen.getByRole('button', { name: 'Use another email' }))
    expect(screen.getByLabelText('Email')).toHaveValue('amara@example.com')
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
