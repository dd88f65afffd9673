/** The real product as the browser tests see it: its mail folder, its staff, and members of their own. */
import { randomUUID } from 'node:crypto'
import { readFileSync, readdirSync } from 'node:fs'
import { expect, type Page } from '@playwright/test'

const url = process.env['STACK_URL'] ?? 'http://127.0.0.1:8080'
const mailDir = process.env['STACK_MAIL_DIR'] ?? '../.stack/mail'

/** The plain text of a mail, soft line breaks and encoded characters undone. */
function textOf(file: string) {
  return readFileSync(`${mailDir}/${file}`, 'utf8')
    .replaceAll('\r\n', '\n')
    .replace(/=\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))
}

function mailsTo(address: string) {
  return readdirSync(mailDir)
    .filter((file) => file.endsWith('.eml'))
    .sort()
    .map(textOf)
    .filter((text) => new RegExp(`^To: .*${address.replace(/[.+]/g, '\\$&')}`, 'mi').test(text))
}

/** Waits for a mail to this address that matches. */
export async function mailTo(address: string, pattern: RegExp): Promise<RegExpMatchArray> {
  let found: RegExpMatchArray | null | undefined
  await expect
    .poll(
      () => {
        found = mailsTo(address).map((text) => text.match(pattern)).findLast(Boolean)
        return Boolean(found)
      },
      { timeout: 30_000, message: `a mail to ${address} that matches ${pattern}` },
    )
    .toBe(true)
  return found as RegExpMatchArray
}

export const codeMailedTo = async (address: string) => (await mailTo(address, /\b(\d{6})\b/))[1] ?? ''

/** Calls the API as a member of staff. */
export async function asStaff(name: string) {
  const login = await call('POST', '/auth/login', { email: `${name}@solvane.test`, password: 'solvane-local-staff' })
  const { token } = login as { token: string }
  return <T>(method: string, path: string, body?: object) => call(method, path, body, token) as Promise<T>
}

async function call(method: string, path: string, body?: object, token?: string): Promise<unknown> {
  const response = await fetch(`${url}/v1${path}`, {
    method,
    headers: {
      'Content-Type': 'application/json',
      ...(method === 'GET' ? {} : { 'Idempotency-Key': randomUUID() }),
      ...(token ? { Authorization: `Bearer ${token}` } : {}),
    },
    body: body ? JSON.stringify(body) : undefined,
  })
  const answer: unknown = await response.json()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`)
  return answer
}

export type NewMember = { name: string; email: string; password: string }

export const newMember = (): NewMember => ({
  name: 'Amara Lindqvist',
  email: `amara-${randomUUID().slice(0, 8)}@example.test`,
  password: 'harbour-lantern-27',
})

/** Registers and verifies in the browser, as a person would, and ends on the dashboard. */
export async function signUp(page: Page, member: NewMember) {
  await page.goto('/register')
  await page.getByLabel('Full Name').fill(member.name)
  await page.getByLabel('Email').fill(member.email)
  await page.getByLabel('Phone Number').fill('+46 70 123 45 67')
  await page.getByLabel('Country').selectOption('Sweden')
  await page.getByLabel('Password', { exact: true }).fill(member.password)
  await page.getByRole('button', { name: 'Register' }).click()
  await expect(page).toHaveURL(`/verify?email=${encodeURIComponent(member.email)}`)
  await page.getByLabel('6-digit code').fill(await codeMailedTo(member.email))
  await page.getByRole('button', { name: 'Verify' }).click()
  await expect(page).toHaveURL('/dashboard')
}

type Pending = { id: string; revision: number; amount: number; user: { email: string } }

/** The reviewer confirms the member's newest pending transaction. */
export async function approve(email: string, receivedAmount: number) {
  const reviewer = await asStaff('reviewer')
  const { transactions } = await reviewer<{ transactions: Pending[] }>('GET', '/admin/transactions?status=pending')
  const pending = transactions.find(({ user }) => user.email === email)
  if (!pending) throw new Error(`nothing pending for ${email}`)
  const { id, revision } = pending
  await reviewer('POST', `/admin/transactions/${id}/approve`, { revision, receivedAmount, txid: `tx-${randomUUID()}` })
}

/** A small valid PNG as proof of payment. */
export const proof = {
  name: 'payment.png',
  mimeType: 'image/png',
  buffer: Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  ),
}

/** Collects what a page must never do: console errors and violations of the content policy. */
export function watchConsole(page: Page) {
  const problems: string[] = []
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
  page.on('pageerror', (error) => problems.push(error.message))
  return problems
}
