// Writes the pages of dist from the one that Vite wrote. The public ones are prerendered, with the part of the styles that
// they show. For the gateway it says which address has which file (pages.json), and which scripts and styles stand in
// a file (inline.json), since the content policy allows only those that it names.
import { createHash } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { AREAS } from './areas.mjs'
import { chunksOf, manifest } from './chunks.mjs'
import { stylesOf } from './page-styles.mjs'

process.env.NODE_ENV = 'production'
const dist = fileURLToPath(new URL('../dist/', import.meta.url))
const built = new URL('../node_modules/.tmp/prerender/', import.meta.url)
const { pages, prerendered, renderPage } = await import(new URL('render.js', built).href)

const APP = 'src/app/client.tsx'
/** What every page of a member needs. */
const MEMBER = ['src/app/guard.tsx', 'src/app/member-layout.tsx', 'src/lib/api-client.ts']
const TITLE = '<title>{{name}}</title>'
const SCRIPT = '<script>'
const ROOT = '<div id="root"></div>'
const APP_TAGS = /^ *<(script type="module"|link rel="(modulepreload|stylesheet)") .*\n/gm
const shell = readFileSync(`${dist}index.html`, 'utf8').replace(APP_TAGS, '')
for (const place of [TITLE, SCRIPT, ROOT]) {
  if (shell.split(place).length !== 2) throw new Error(`index.html must have one ${place}`)
}

const { file: app, css: [appStyles] } = manifest[APP]
// Whose work they are stands in the file.
const allStyles = readFileSync(`${dist}${appStyles}`, 'utf8').replace(/^\/\*!.*?\*\/\s*/, '')
const fonts = readFileSync(`${dist}${manifest['src/app/fonts.css'].file}`, 'utf8').trim()
const modulesOf = (...modules) => chunksOf([APP, ...modules]).filter((file) => file !== app)
const inline = {}

/** Puts styles and the script into a page: the script learns where the app is, and the gateway what stands in the page. */
function write(file, page, styles, attributes, areas = []) {
  const data = Object.entries(attributes).map(([name, files]) => [name, files.map((path) => `/${path}`)])
  const given = [...data, ['areas', areas]].filter(([, values]) => values.length > 0)
  const script = `<script${given.map(([name, values]) => ` data-${name}="${values.join(' ')}"`).join('')}>`
  const html = page.replace(SCRIPT, () => `<style>${styles}</style>\n    ${script}`)
  writeFileSync(`${dist}${file}`, html)
  inline[file] = { 'script-src': hashes(html, 'script'), 'style-src': hashes(html, 'style') }
}

/** Data is not run. */
function hashes(html, tag) {
  const found = [...html.matchAll(new RegExp(`<${tag}(?: (?![^>]*type="application/json")[^>]*)?>(.*?)</${tag}>`, 'gs'))]
  return found.map(([, content]) => `'sha256-${createHash('sha256').update(content).digest('base64')}'`).join(' ')
}

/** The script that asks for a page's data before its code is there. */
async function early() {
  const { output } = await build({
    configFile: false,
    logLevel: 'warn',
    build: { write: false, target: 'es2022', rolldownOptions: { input: fileURLToPath(new URL('early.ts', import.meta.url)), output: { format: 'iife' } } },
  })
  return output[0].code.trim()
}

// Without the app there is nothing to see here. What asks is first: the browser reads the key while it goes on, and loads files
// without compiling them. The styles stand behind the scripts, which would wait for them.
const asking = await early()
const preloads = [app, ...modulesOf()].map((file) => `<link rel="preload" as="script" crossorigin href="/${file}">`).join('')
const empty = shell
  .replace('<title>', () => `<script id="early">${asking}</script>\n    ${preloads}\n    <title>`)
  .replace('  </head>', () => `    <link rel="stylesheet" href="/${appStyles}">\n  </head>`)
const member = modulesOf(...MEMBER)
const areas = Object.entries(AREAS).map(([address, page]) => {
  const more = modulesOf(...MEMBER, ...[page].flat().map((name) => `src/${name}.tsx`)).filter((file) => !member.includes(file))
  return [address, ...more.map((file) => `/${file}`)].join(',')
})
write('app.html', empty, fonts, { app: [app], modules: modulesOf(), member: member.filter((file) => !modulesOf().includes(file)) }, areas)
for (const { address, file, module } of prerendered) {
  const [, head, body] = (await renderPage(address)).match(/^((?:<title>[^<]*<\/title>|<link[^>]*>)*)(.*)$/s)
  if (!head.includes('<title>') || body.includes('<script')) throw new Error(`${address} was not prerendered as a page without scripts`)
  const page = shell.replace(TITLE, () => head).replace(ROOT, () => `<div id="root">${body}</div>`)
  write(file, page, fonts + stylesOf(body, allStyles), { app: [app], styles: [appStyles], modules: modulesOf(module) })
}

/** As the gateway's router spells patterns; an address with a slash at the end is the same one. */
function spellings(address) {
  const pattern = address.replace(/:(\w+)/g, '{$1}')
  if (pattern === '/') return [pattern]
  if (pattern.endsWith('/*')) return [...spellings(pattern.slice(0, -2)), pattern.replace('*', '{*rest}')]
  return [pattern, `${pattern}/`]
}

const addresses = pages.flatMap(({ address, file }) => spellings(address).map((spelling) => [spelling, file]))
writeFileSync(`${dist}pages.json`, `${JSON.stringify(Object.fromEntries(addresses), null, 2)}\n`)
writeFileSync(`${dist}inline.json`, `${JSON.stringify(inline, null, 2)}\n`)
rmSync(built, { recursive: true })
