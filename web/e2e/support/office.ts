/** Staff at work, and the requests of members that they decide. */
import type { Page } from '@playwright/test'
import { asStaff, confirmDestination, fillLogin, platformMethod, proof, type SignedIn } from './stack'
import { expect, type Another } from './test'

/** Where members are paid. */
export const address = 'TVj7RNVHy6thbM7BWdSe9G6gXwKhjhdNZS'

export const receipt = `data:${proof.mimeType};base64,${proof.buffer.toString('base64')}`

export type Made = { id: string; reference: string; revision?: number; fee?: number; amount: number }

export async function deposit(member: SignedIn, amount: number, txid?: string) {
  const request = { amount, method: await platformMethod(member), receipt, type: 'deposit', ...(txid ? { txid } : {}) }
  return (await member.api<{ transaction: Made }>('POST', '/transactions/deposit', request)).transaction
}

/** A withdrawal whose address the member has confirmed. */
export async function withdrawal(member: SignedIn, amount: number, to = address) {
  const request = { amount, method: await platformMethod(member), address: to }
  const { transaction } = await member.api<{ transaction: Made }>('POST', '/transactions/withdraw', request)
  await confirmDestination(member, transaction.id)
  return transaction
}

/** Logs in as a person would. */
export async function logIn(page: Page, name: string) {
  await page.goto('/login')
  await fillLogin(page, { email: `${name}@solvane.test`, password: 'solvane-local-staff' })
  await expect(page).toHaveURL('/admin')
}

/** A second person, in a browser of their own. */
export async function colleague(another: Another, name: string) {
  const page = await another()
  await logIn(page, name)
  return page
}

export type Row = { id: string; revision: number; kind: string; approved?: boolean }

/** Rejects what other journeys have left, so that the queue holds what a journey puts there. */
export async function emptyQueue() {
  const reviewer = await asStaff('reviewer')
  const treasurer = await asStaff('treasurer')
  const { transactions } = await reviewer<{ transactions: Row[] }>('GET', '/admin/transactions?status=pending')
  for (const { id, revision, approved } of transactions) {
    const decide = approved ? treasurer : reviewer
    await decide('POST', `/admin/transactions/${id}/reject`, { revision, reasonCode: 'OTHER' })
  }
}
