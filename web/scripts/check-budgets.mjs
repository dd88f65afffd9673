// Fails the build when a page's JavaScript (all chunks it needs at once, gzipped) outgrows its budget.
import { readFileSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

const dist = fileURLToPath(new URL('../dist/', import.meta.url))
const manifest = JSON.parse(readFileSync(`${dist}.vite/manifest.json`, 'utf8'))

const VISITOR_KB = 120
/** The registration carries the country names. */
const REGISTRATION_KB = 124
const MEMBER_KB = 200
/** The back office, at a desk, with everything on one page. */
const STAFF_KB = 240
const visitorPages = new Set(['landing', 'ugc-course', 'terms', 'privacy', 'not-found', 'login', 'register', 'forgot-password', 'reset-password', 'verify'])
/** What every member page loads besides itself. */
const memberParts = ['src/app/guard.tsx', 'src/app/member-layout.tsx', 'src/lib/http.ts']

function chunksOf(entries) {
  const files = new Set()
  const visit = (key) => {
    const chunk = manifest[key]
    if (!chunk || files.has(chunk.file)) return
    files.add(chunk.file)
    for (const imported of chunk.imports ?? []) visit(imported)
  }
  entries.forEach(visit)
  return [...files].filter((file) => file.endsWith('.js'))
}

let failed = false
for (const key of Object.keys(manifest).sort()) {
  const page = key.match(/^src\/app\/pages\/(.+)-page\.tsx$/)?.[1]
  if (!page) continue
  const isVisitor = visitorPages.has(page)
  const chunks = chunksOf(['index.html', key, ...(isVisitor ? [] : memberParts)])
  const kilobytes = chunks.reduce((sum, file) => sum + gzipSync(readFileSync(dist + file)).length, 0) / 1024
  const budget = page === 'register' ? REGISTRATION_KB : isVisitor ? VISITOR_KB : page.startsWith('admin/') ? STAFF_KB : MEMBER_KB
  const over = kilobytes > budget
  failed ||= over
  console.log(`${over ? 'OVER ' : '     '}${kilobytes.toFixed(1).padStart(6)} of ${budget} kB  ${page}`)
}
if (failed) process.exit(1)
// Only this check needs the manifest; visitors do not.
rmSync(`${dist}.vite`, { recursive: true })
