/**
 * Inlined into the page of members and staff: asks for what a page shows while its code is still being loaded, which takes
 * longer. `lib/early-answers.ts` hands the answers out; the app asks itself for what is not among them.
 */
import { credentials } from '../src/lib/device-key'
import type { EarlyAnswers } from '../src/lib/early-answers'
import { apiUrl } from '../src/lib/env'
import { firstPages } from '../src/lib/first-pages'
import { heldPlans } from '../src/lib/held-plans'

type Stored = { state?: { token?: string | null; user?: { id: string; role?: string; isVerified?: boolean; hasPurchasedCourse?: boolean; wallet?: { balance: number; held: number; invested: number } | null } | null } }

const session = '/auth/check'

/** The app is not held up by a browser that is slow to give the key. */
const LONGEST_MS = 300

const shown: [RegExp, string[]][] = [
  [/^\/dashboard$/, ['/trades?status=all', firstPages.transactions]],
  [/^\/transactions$/, [firstPages.transactions]],
  [/^\/deposits$/, ['/payment-methods', '/terms']],
  [/^\/withdrawals$/, ['/payment-methods', '/terms', firstPages.transactions]],
  [/^\/investments$/, ['/trades', '/trades?status=all']],
  [/^\/investments\/plans$/, ['/plans']],
  [/^\/courses$/, ['/courses']],
  [/^\/courses\/lessons\/[^/]+$/, ['/courses']],
  [/^\/admin$/, ['/admin/me', '/admin/queue', firstPages.waiting]],
]

function stored(): Stored {
  try {
    return (JSON.parse(localStorage.getItem('auth') ?? '{}') ?? {}) as Stored
  } catch {
    return {}
  }
}

function ask() {
  const { token, user } = stored().state ?? {}
  if (!token || !user) return
  const path = location.pathname.replace(/(?<=.)\/$/, '')
  // Anything else would be refused, and the app leads elsewhere: D-O1, D-S1.
  const isAtHome = user.role ? path.startsWith('/admin') : user.isVerified && !path.startsWith('/admin')
  const lists = isAtHome ? shown.filter(([address]) => address.test(path)).flatMap(([, some]) => some) : []
  if (isAtHome && path === '/dashboard') {
    if (user.hasPurchasedCourse) lists.push('/courses')
    if (user.wallet && user.wallet.balance + user.wallet.held + user.wallet.invested > 0) {
      const plans = heldPlans()
      lists.push('/wallet/days')
      if (plans.length > 0) lists.push(firstPages.planValues(plans))
    }
  }
  const sent: Promise<unknown>[] = []
  const answer = async (asked: string) => {
    const headers = credentials(token, 'GET', apiUrl + asked)
    sent.push(headers)
    return fetch(apiUrl + asked, { headers: await headers, credentials: 'include' })
  }
  const byPath: EarlyAnswers['byPath'] = new Map([session, ...lists].map((asked) => [asked, answer(asked)]))
  for (const asked of byPath.values()) asked.catch(() => undefined)
  const limit = new Promise((resolve) => setTimeout(resolve, LONGEST_MS))
  window.earlyAnswers = { userId: user.id, askedAt: Date.now(), byPath, sent: Promise.race([Promise.allSettled(sent), limit]) }
}

ask()
