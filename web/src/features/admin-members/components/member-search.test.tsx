import { screen } from '@testing-library/react'
import { beforeEach, expect, it } from 'vitest'
import { backOffice, deposit, openAsStaff } from '@/testing/back-office'
import { answers, server } from '@/testing/server'

beforeEach(() => server.use(...backOffice(), answers('get', '/admin/members', { members: [] })))

it('says in one line that no member was found where a transaction was [U23]', async () => {
  openAsStaff(`/admin/members?search=${deposit.reference}`)
  expect(await screen.findByText('No member has this name or email.')).toBeVisible()
  expect(screen.queryByText('No members found')).toBeNull()
})

it('says that no member was found where nothing was [U23]', async () => {
  server.use(answers('get', '/admin/transactions', { transactions: [] }))
  openAsStaff('/admin/members?search=zz')
  expect(await screen.findByText('No members found')).toBeVisible()
})
