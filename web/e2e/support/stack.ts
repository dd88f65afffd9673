/** The real product as the browser tests see it: its mail folder, its staff, and members of their own. */
import { randomBytes, randomUUID } from 'node:crypto'
import { readFileSync, readdirSync } from 'node:fs'
import { expect, type Page } from '@playwright/test'

const url = process.env['STACK_URL'] ?? 'http://localhost:8080'
const mailDir = process.env['STACK_MAIL_DIR'] ?? '../.stack/mail'

/** The plain text of a mail: of each part that says so, soft line breaks and encoded characters undone. */
function textOf(file: string) {
  const parts = readFileSync(`${mailDir}/${file}`, 'utf8').replaceAll('\r\n', '\n').split(/^(?=--)/m)
  return parts.map((part) => (/^Content-Transfer-Encoding: quoted-printable$/im.test(part) ? decoded(part) : part)).join('')
}

const decoded = (part: string) =>
  part.replace(/=\n/g, '').replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))

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

export const codeMailedTo = async (address: string) => (await mailTo(address, /(?<![\w-])(\d{6})(?![\w-])/))[1] ?? ''

const logIn = (name: string) =>
  call('POST', '/auth/login', { email: `${name}@solvane.test`, password: 'solvane-local-staff' }) as Promise<{ token: string; user: object }>

/** A hash of a payment that no other test has. */
export const hash = () => randomBytes(32).toString('hex')

/** Calls the API as a member of staff. */
export async function asStaff(name: string) {
  return caller((await logIn(name)).token)
}

/** The page is that of a member of staff. */
export async function staffSignedIn(page: Page, name: string) {
  await startAs(page, await logIn(name))
}

/** Once a tab, so that a logout and a reload later find what the app left. */
export const startAs = (page: Page, { user, token }: { user: object; token: string }) =>
  page.addInitScript((state) => {
    if (sessionStorage.getItem('started')) return
    sessionStorage.setItem('started', 'yes')
    localStorage.setItem('auth', JSON.stringify({ state, version: 0 }))
  }, { user, token })

const caller = (token: string) => <T>(method: string, path: string, body?: object) => call(method, path, body, token) as Promise<T>

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

/** Fills in and sends the login form of the page. */
export async function fillLogin(page: Page, { email, password }: Pick<NewMember, 'email' | 'password'>) {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Login', exact: true }).click()
}

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

export type SignedIn = NewMember & { user: { id: string }; token: string; id: string; api: ReturnType<typeof caller> }

/** A verified member, made over the API. */
export async function registered(): Promise<SignedIn> {
  const member = newMember()
  const details = { ...member, phone: '+46 70 123 45 67', country: 'Sweden' }
  const { token } = (await call('POST', '/auth/register', details)) as { token: string }
  const api = caller(token)
  await api('POST', '/auth/verify', { email: member.email, otp: await codeMailedTo(member.email) })
  const { user } = await api<{ user: { id: string } }>('GET', '/auth/check')
  return { ...member, user, token, id: user.id, api }
}

/** The same, and logs the page in as the member. */
export async function signedIn(page: Page): Promise<SignedIn> {
  const member = await registered()
  await startAs(page, member)
  return member
}

type Method = { id: string; network: string; scope: string }

export async function platformMethod(member: SignedIn, network = 'TRC20') {
  const { paymentMethods } = await member.api<{ paymentMethods: Method[] }>('GET', '/payment-methods')
  const method = paymentMethods.find((candidate) => candidate.scope === 'platform' && candidate.network === network)
  if (!method) throw new Error(`no platform method on ${network}`)
  return method.id
}

/** Puts money into the member's wallet by a confirmed deposit. */
export async function fund(member: SignedIn, amount: number) {
  const receipt = `data:${proof.mimeType};base64,${proof.buffer.toString('base64')}`
  const method = await platformMethod(member)
  await member.api('POST', '/transactions/deposit', { amount, method, receipt, type: 'deposit' })
  await approve(member.email, amount)
}

type Pending = { id: string; revision: number; title: string; user: { email: string } }

/** The code of the newest mail that asks to confirm this address. */
export const addressCodeMailedTo = async (email: string, address: string) =>
  (await mailTo(email, new RegExp(`^Address: ${address}$[^]*?^(\\d{6})$`, 'm')))[1] ?? ''

/** The member confirms where an open withdrawal goes, by the mailed code, unless it is known. */
export async function confirmDestination(member: SignedIn, id: string) {
  type Open = { needsConfirmation: boolean; destination: { address: string } }
  const { transaction } = await member.api<{ transaction: Open }>('GET', `/transactions/${id}`)
  if (!transaction.needsConfirmation) return
  const code = await addressCodeMailedTo(member.email, transaction.destination.address)
  await member.api('POST', `/transactions/${id}/confirm`, { code })
}

/** The member confirms the destination of the open withdrawal, the reviewer approves, and the treasurer pays it. */
export async function payOut(member: SignedIn) {
  const { email } = member
  const reviewer = await asStaff('reviewer')
  const { transactions } = await reviewer<{ transactions: Pending[] }>('GET', '/admin/transactions?status=pending&kind=withdrawal')
  const open = transactions.find((row) => row.user.email === email)
  if (!open) throw new Error(`no open withdrawal of ${email}`)
  await confirmDestination(member, open.id)
  const treasurer = await asStaff('treasurer')
  const revision = async () => (await treasurer<{ transaction: Pending }>('GET', `/admin/transactions/${open.id}`)).transaction.revision
  await reviewer('POST', `/admin/transactions/${open.id}/approve`, { revision: open.revision })
  await treasurer('POST', `/admin/transactions/${open.id}/paying`, { revision: await revision() })
  await treasurer('POST', `/admin/transactions/${open.id}/paid`, { revision: await revision(), txid: hash() })
}

/** The reviewer confirms the member's newest pending transaction (of this title). */
export async function approve(email: string, receivedAmount: number, title?: string) {
  const reviewer = await asStaff('reviewer')
  const { transactions } = await reviewer<{ transactions: Pending[] }>('GET', '/admin/transactions?status=pending')
  const pending = transactions.find((row) => row.user.email === email && (!title || row.title === title))
  if (!pending) throw new Error(`nothing pending for ${email}`)
  const { id, revision } = pending
  const evidence = { txid: hash(), note: 'Seen in the explorer of the network' }
  type Approved = { needsSecond: boolean; revision: number }
  const approved = await reviewer<Approved>('POST', `/admin/transactions/${id}/approve`, { revision, receivedAmount, ...evidence })
  if (!approved.needsSecond) return
  const second = await asStaff('reviewer2')
  await second('POST', `/admin/transactions/${id}/approve`, { revision: approved.revision, receivedAmount, ...evidence })
}

/** The reviewer rejects the member's newest pending transaction. */
export async function reject(email: string, reasonCode: string) {
  const reviewer = await asStaff('reviewer')
  const { transactions } = await reviewer<{ transactions: Pending[] }>('GET', '/admin/transactions?status=pending')
  const pending = transactions.find((row) => row.user.email === email)
  if (!pending) throw new Error(`nothing pending for ${email}`)
  await reviewer('POST', `/admin/transactions/${pending.id}/reject`, { revision: pending.revision, reasonCode })
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
