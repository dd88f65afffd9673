// Fails the build when a page's JavaScript (all chunks it needs at once, gzipped) outgrows its budget.
import { readFileSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, gzipSync } from 'node:zlib'

const dist = fileURLToPath(new URL('../dist/', import.meta.url))
const manifest = JSON.parse(readFileSync(`${dist}.vite/manifest.json`, 'utf8'))

/** A page to read, until somebody touches a control. */
const READER_KB = 4
const VISITOR_KB = 120
/** The registration carries the country names. */
const REGISTRATION_KB = 124
const MEMBER_KB = 200
/** The back office, at a desk, with everything on one page. */
const STAFF_KB = 240
const readerPages = new Set(['landing', 'ugc-course', 'terms', 'privacy', 'not-found'])
const visitorPages = new Set([...readerPages, 'login', 'register', 'forgot-password', 'reset-password', 'verify'])
const starter = ['index.html']
const app = [...starter, 'src/app/client.tsx']
/** What every member page loads besides itself. */
const memberParts = ['src/app/guard.tsx', 'src/app/member-layout.tsx', 'src/lib/http.ts']

function chunksOf(entries) {
  const files = new Set()
  const visit = (key) => {
    const chunk = manifest[key]
    if (!chunk) throw new Error(`the build has no ${key}`)
    if (files.has(chunk.file)) return
    files.add(chunk.file)
    for (const imported of chunk.imports ?? []) visit(imported)
  }
  entries.forEach(visit)
  return [...files].filter((file) => file.endsWith('.js'))
}

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
  if (visitorPages.has(page)) return VISITOR_KB
  return page.startsWith('admin/') ? STAFF_KB : MEMBER_KB
}

check('a page to read, before a touch', starter, READER_KB)
for (const key of Object.keys(manifest).sort()) {
  const page = key.match(/^src\/app\/pages\/(.+)-page\.tsx$/)?.[1]
  if (page) check(page, [...app, key, ...(visitorPages.has(page) ? [] : memberParts)], budgetOf(page))
}
if (failed) process.exit(1)
// Only this check needs the manifest; visitors do not.
rmSync(`${dist}.vite`, { recursive: true })
