/** Opens the whole app at an address, as a visitor or as a member. */
import { render } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { App } from '@/app/app'
import type { User } from '@/lib/api-types'
import { startSession } from '@/lib/session'
import { answers, member, server } from './server'

export function openApp(path: string) {
  window.history.replaceState(null, '', path)
  const user = userEvent.setup()
  return { user, ...render(<App />) }
}

export function openAsMember(path: string, changes: Partial<User> = {}) {
  const user = { ...member, ...changes }
  server.use(answers('get', '/auth/check', { user, token: 'fresh-token' }))
  startSession(user, 'stored-token')
  return openApp(path)
}

/** The titles of the toasts on the page, the newest first. */
export const toastTexts = () => [...document.querySelectorAll('.toast p:first-child')].map((title) => title.textContent)

export const currentPath = () => window.location.pathname + window.location.search
