/** A reviewer in the back office of the component tests, with one deposit to decide on. */
import { openAsMember } from '@/testing/render'
import { transaction } from '@/testing/samples'
import { answers, emptyBackOffice, server } from '@/testing/server'

export const base = `${window.location.origin}/v1`
export const ME = '0193f1c2-7a51-4e0a-9b7a-3d1f2c4b5a60'

export const me = (totp: object = {}, permissions = ['see', 'decide', 'freeze', 'writeNotes']) =>
  answers('get', '/admin/me', {
    user: { id: ME, name: 'Rae', email: 'rae@solvane.test', role: 'reviewer' },
    totp: { required: true, enrolled: true, passkeys: 0, recoveryCodesLeft: 10, ...totp },
    stepUpUntil: new Date(Date.now() + 240_000).toISOString(),
    permissions,
  })

export const deposit = { ...transaction({ status: 'pending', amount: 250, revision: 3, txid: 'claimed-hash' }), memberId: 'member-1' }

export const review = (changes: object = {}) => ({
  transaction: { ...deposit, ...changes },
  checks: [{ name: 'amount_in_limits', ok: true, state: 'ok', detail: '$250.00 is within the limits.', transactionIds: [] }],
  wallet: { balance: 0, held: 0, bonus: 0, invested: 0 },
  entries: [],
  blockers: [],
  candidates: [],
  returnTo: [],
  returns: [],
})

export const proposal = (changes: object = {}) => ({
  id: 'trd_1',
  kind: 'plan.value',
  status: 'open',
  subjectId: 'plan-1',
  change: { at: null, source: 'Custodian report', value: 1.05 },
  before: { at: '2026-03-05T14:07:00Z', source: 'Older report', value: 1.04 },
  proposedBy: 'somebody-else',
  proposedAt: '2026-03-05T14:07:00Z',
  expiresAt: '2026-03-12T14:07:00Z',
  permission: 'changePlans',
  ...changes,
})

/** What holds in the back office, unless a test says otherwise. */
export const backOffice = () => [
  me(),
  answers('get', '/admin/queue', {
    queue: [{ kind: 'deposit', count: 1, oldestAt: deposit.createdAt }, { kind: 'payout', count: 0, oldestAt: null }],
    times: { deposit: { median: 720, p90: 2_400 }, fee: null, withdrawal: null, payout: null },
  }),
  answers('get', '/admin/queue/transactions', { transactions: [deposit] }),
  answers('get', '/admin/transactions', { transactions: [deposit] }),
  answers('get', '/admin/transactions/:id', review()),
  answers('post', '/admin/transactions/:id/viewing', { viewers: [] }),
  answers('get', '/admin/plans', { plans: [] }),
  answers('get', '/admin/payment-methods', { paymentMethods: [] }),
  ...emptyBackOffice(),
]

/** Whose permissions these are the pages do not care. */
export function openAsStaff(path: string, ...permissions: string[]) {
  if (permissions.length) server.use(me({}, permissions))
  return openAsMember(path, { role: 'reviewer', wallet: null })
}
