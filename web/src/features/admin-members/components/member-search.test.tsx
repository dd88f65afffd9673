import { screen } from '@testing-library/react'
import { beforeEach, expect, it } from 'vitest'
import { openAsMember } from '@/testing/render'
import { transaction } from '@/testing/samples'
import { answers, emptyBackOffice, server } from '@/testing/server'

beforeEach(() => {
  server.use(
    ...emptyBackOffice(),
    answers('get', '/admin/me', {
      user: { id: 'x', name: 'Rae', email: 'rae@solvane.test', role: 'reviewer' },
      totp: { required: false, enrolled: true, passkeys: 0, recoveryCodesLeft: 10 },
      stepUpUntil: null,
      permissions: ['see'],
    }),
    answers('get', '/admin/members', { members: [] }),
  )
})

it('says in one line that no member was found where a transaction was [U23]', async () => {
  const found = { ...transaction({}), memberId: 'member-1', user: { id: 'member-1', name: 'Mia', email: 'mia@solvane.test' } }
  server.use(answers('get', '/admin/transactions', { transactions: [found] }))
  openAsMember(`/admin/members?search=${found.reference}`, { role: 'reviewer', wallet: null })
  expect(await screen.findByText('No member has this name or email.')).toBeVisible()
  expect(screen.queryByText('No members found')).toBeNull()
})

it('says that no member was found where nothing was [U23]', async () => {
  server.use(answers('get', '/admin/transactions', { transactions: [] }))
  openAsMember('/admin/members?search=zz', { role: 'reviewer', wallet: null })
  expect(await screen.findByText('No members found')).toBeVisible()
})
