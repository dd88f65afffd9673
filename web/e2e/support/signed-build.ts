/** The web app as an operator builds it with a treasury key, and that key. */
import { webcrypto } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from '@playwright/test'
import { build } from 'vite'
import { statementMoment, statementOf, type SignedVersion } from '../../src/lib/treasury'

const root = fileURLToPath(new URL('../..', import.meta.url))
const dist = `${root}node_modules/.tmp/signed-build`

const base64url = (bytes: ArrayBuffer) => Buffer.from(bytes).toString('base64url')

/** Builds the app with a new key, and returns what signs with it. */
export async function buildWithTreasuryKey() {
  const pair = await webcrypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign', 'verify'])
  process.env['VITE_TREASURY_KEYS'] = base64url(await webcrypto.subtle.exportKey('raw', pair.publicKey))
  await build({ root, logLevel: 'error', build: { outDir: dist, emptyOutDir: true } })
  delete process.env['VITE_TREASURY_KEYS']
  return async (version: SignedVersion) => {
    const validFrom = statementMoment(new Date())
    const statement = new TextEncoder().encode(statementOf(version, validFrom))
    const signature = await webcrypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, pair.privateKey, statement)
    return `${validFrom}.${base64url(signature)}`
  }
}

/** Gives the page that build in place of the one of the gateway, which keeps answering `/v1`. */
export async function serveSignedBuild(page: Page) {
  const manifest = JSON.parse(readFileSync(`${dist}/.vite/manifest.json`, 'utf8')) as Record<string, { file: string }>
  const app = manifest['src/app/client.tsx']?.file ?? ''
  const html = readFileSync(`${dist}/index.html`, 'utf8').replace('<script>', `<script data-app="/${app}">`)
  await page.route(({ pathname }) => !pathname.startsWith('/v1/'), (route) => {
    const file = dist + new URL(route.request().url()).pathname
    const isFile = existsSync(file) && statSync(file).isFile()
    return route.fulfill(isFile ? { path: file } : { body: html, contentType: 'text/html' })
  })
}
