// Which files of the build belong together, by the manifest that Vite writes.
import { readFileSync } from 'node:fs'

export const manifest = JSON.parse(readFileSync(new URL('../dist/.vite/manifest.json', import.meta.url), 'utf8'))

/** The JavaScript that these entries need at once. */
export function chunksOf(entries) {
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
