import { act, screen, waitFor } from '@testing-library/react'
import { delay, http, HttpResponse } from 'msw'
import { describe, expect, it } from 'vitest'
import { startSession, useSession } from '@/lib/session'
import { currentPath, openApp, openAsMember } from '@/testing/render'
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
