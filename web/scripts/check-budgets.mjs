// Fails the build when a page outgrows its budget: a prerendered one as it is sent, and every one's JavaScript (all chunks it
// needs at once, gzipped).
import { readFileSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { chunksOf, modules } from '../prerender/chunks.mjs'
import { withOperator } from '../prerender/operator.ts'
import operator from '../src/testing/operator.json' with { type: 'json' }

const dist = fileURLToPath(new URL('../dist/', import.meta.url))

/** What a server may send before it must hear from the browser: ten packets of 1460 bytes, less 1010 of headers. */
const FIRST_FLIGHT_KB = 13590 / 1024
const READER_KB = 123
/** With what sends a form and says why it failed: nothing of that may have to come later. */
const FORM_KB = 150
/** The registration carries the country names. */
const REGISTRATION_KB = 151
/** Pages of one area share a file: on a slow network a request costs as much as 30 kB. */
const MEMBER_KB = 196
/** The back office, at a desk, with everything on one page. */
const STAFF_KB = 290
const readerPages = new Set(['landing', 'ugc-course', 'terms', 'privacy', 'not-found'])
const visitorPages = new Set([...readerPages, 'login', 'register', 'forgot-password', 'reset-password', 'verify', 'mailed-act'])
const app = ['src/app/client.tsx']
/** What every member page loads besides itself. */
const memberParts = ['src/app/guard.tsx', 'src/app/member-layout.tsx']

const sizes = new Map()
function sizeOf(file) {
  if (!sizes.has(file)) {
    const code = readFileSync(dist + file)
    sizes.set(file, { gzip: gzipSync(code).length, brotli: brotliCompressSync(code).length })
  }
  return sizes.get(file)
}

const sum = (chunks, kind) => chunks.reduce((bytes, file) => bytes + sizeOf(file)[kind], 0) / 1024

let failed = false
function check(name, entries, budget) {
  const chunks = chunksOf(entries)
  const gzip = sum(chunks, 'gzip')
  const over = gzip > budget
  failed ||= over
  const brotli = sum(chunks, 'brotli')
  console.log(`${over ? 'OVER ' : '     '}${gzip.toFixed(1).padStart(6)} of ${budget} kB  (brotli ${brotli.toFixed(1)})  ${name}`)
}

function budgetOf(page) {
  if (page === 'register') return REGISTRATION_KB
  if (readerPages.has(page)) return READER_KB
  if (visitorPages.has(page)) return FORM_KB
  return page.startsWith('admin/') ? STAFF_KB : MEMBER_KB
}

for (const file of Object.keys(JSON.parse(readFileSync(`${dist}inline.json`, 'utf8')))) {
  const size = brotliCompressSync(withOperator(readFileSync(dist + file, 'utf8'), operator)).length / 1024
  failed ||= size > FIRST_FLIGHT_KB
  console.log(`${size > FIRST_FLIGHT_KB ? 'OVER ' : '     '}${size.toFixed(1).padStart(6)} of ${FIRST_FLIGHT_KB.toFixed(1)} kB brotli  ${file}`)
}
for (const key of Object.keys(modules).sort()) {
  const page = key.match(/^src\/app\/pages\/(.+)-page\.tsx$/)?.[1]
  if (page) check(page, [...app, key, ...(visitorPages.has(page) ? [] : memberParts)], budgetOf(page))
}
if (failed) process.exit(1)
// Only this check needs the manifest; visitors do not.
rmSync(`${dist}.vite`, { recursive: true })
