// Draws the public pages into files of dist, and writes which address has which file for the gateway: pages.json.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

process.env.NODE_ENV = 'production'
const dist = fileURLToPath(new URL('../dist/', import.meta.url))
const built = new URL('../node_modules/.tmp/prerender/', import.meta.url)
const { draw, drawn, pages } = await import(new URL('prerender.js', built).href)

const TITLE = '<title>Solvane</title>'
const ROOT = '<div id="root"></div>'
const shell = readFileSync(`${dist}index.html`, 'utf8')
for (const place of [TITLE, ROOT]) {
  if (shell.split(place).length !== 2) throw new Error(`index.html must have one ${place}`)
}

writeFileSync(`${dist}app.html`, shell)
for (const { address, file } of drawn) {
  const [, head, body] = (await draw(address)).match(/^((?:<title>[^<]*<\/title>|<link[^>]*>)*)(.*)$/s)
  if (!head.includes('<title>') || body.includes('<script')) throw new Error(`${address} was not drawn as a page without scripts`)
  writeFileSync(`${dist}${file}`, shell.replace(TITLE, () => head).replace(ROOT, () => `<div id="root">${body}</div>`))
}

/** As the gateway's router spells patterns; an address with a slash at the end is the same one. */
function spellings(address) {
  const pattern = address.replace(/:(\w+)/g, '{$1}')
  if (pattern === '/') return [pattern]
  if (pattern.endsWith('/*')) return [...spellings(pattern.slice(0, -2)), pattern.replace('*', '{*rest}')]
  return [pattern, `${pattern}/`]
}

const entries = pages.flatMap(({ address, file }) => spellings(address).map((spelling) => [spelling, file]))
writeFileSync(`${dist}pages.json`, `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`)
rmSync(built, { recursive: true })
