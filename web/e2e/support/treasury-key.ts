/** A treasury key, and the app of an operator who has it. */
import { webcrypto } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { statementMoment, statementOf, type SignedVersion } from '../../src/lib/treasury'

const base64url = (bytes: ArrayBuffer) => Buffer.from(bytes).toString('base64url')

/** Gives every page a key as the gateway's setting would. */
async function showing(page: Page, key: string) {
  await page.route(({ pathname }) => !/^\/(v1|assets)\//.test(pathname), async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, body: (await response.text()).replace('"treasuryKeys":""', `"treasuryKeys":"${key}"`) })
  })
}

/** The same with the key of the running product, which signed the extended public keys of its methods. */
export const withOwnTreasuryKey = (page: Page) =>
  showing(page, readFileSync(`${process.env['STACK_MAIL_DIR'] ?? '../.stack/mail'}/../keys/treasury.pub`, 'utf8').trim())

/** The same with a new key; returns what signs with it. */
export async function withTreasuryKey(page: Page) {
  const pair = await webcrypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign', 'verify'])
  await showing(page, base64url(await webcrypto.subtle.exportKey('raw', pair.publicKey)))
  return async (version: SignedVersion) => {
    const validFrom = statementMoment(new Date())
    const statement = new TextEncoder().encode(statementOf(version, validFrom))
    const signature = await webcrypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, pair.privateKey, statement)
    return `${validFrom}.${base64url(signature)}`
  }
}
