// Writes the service worker of the member area (sw.js). Its version changes with any file that it caches.
import { createHash } from 'node:crypto'
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { minifySync, transformWithOxc } from 'vite'
import { AREAS } from './areas.mjs'
import { chunksOf, manifest, modules } from './chunks.mjs'

const dist = fileURLToPath(new URL('../dist/', import.meta.url))
const source = fileURLToPath(new URL('./worker.ts', import.meta.url))
const hashOf = (content) => createHash('sha256').update(content).digest('hex')

/** Of staff, who work with a network, and of pages that the server sends prerendered. */
const OTHERS = /^src\/(app\/pages\/(admin|landing|ugc-course)|features\/admin)/
const modulesIn = (file) => Object.keys(modules).filter((module) => modules[module] === file)
const isOther = (file) => modulesIn(file).some((module) => OTHERS.test(module)) && !member.includes(file)
const member = chunksOf(['src/app/client.tsx', 'src/app/guard.tsx', 'src/app/member-layout.tsx'])
const assets = readdirSync(`${dist}assets`).map((name) => `assets/${name}`)
const fontStyles = manifest['src/app/fonts.css'].file
const files = assets
  .filter((file) => /\.(js|css)$|\/inter-latin-opsz|\/default-avatar.*\.svg$/.test(file) && file !== fontStyles && !isOther(file))
  .sort()
  .map((file) => `/${file}`)

const { code } = await transformWithOxc(readFileSync(source, 'utf8').replace('export {}', ''), source, { sourcemap: false })
const areas = Object.keys(AREAS).filter((area) => !area.startsWith('/admin'))
const page = readFileSync(`${dist}app.html`)
const version = hashOf(page + files.join() + code).slice(0, 12)
// The hash of the page changes with the operator that the gateway writes into it.
const shell = { version, page: '/dashboard', pageHash: '{{pageHash}}', files, areas }
writeFileSync(`${dist}sw.js`, minifySync(source, `(()=>{const SHELL=${JSON.stringify(shell)};${code}})()`).code)
