// Which files of the build belong together, by the manifest that Vite writes.
import { readFileSync } from 'node:fs'

const read = (file) => JSON.parse(readFileSync(new URL(`../dist/.vite/${file}.json`, import.meta.url), 'utf8'))

export const manifest = read('manifest')
/** The file of each module of the app. */
export const modules = read('modules')
const chunks = new Map(Object.values(manifest).map((chunk) => [chunk.file, chunk]))

/** The JavaScript that these entries need at once. */
export function chunksOf(entries) {
  const files = new Set()
  const visit = (key) => {
    const chunk = manifest[key] ?? chunks.get(modules[key])
    if (!chunk) throw new Error(`the build has no ${key}`)
    if (files.has(chunk.file)) return
    files.add(chunk.file)
    for (const imported of chunk.imports ?? []) visit(imported)
  }
  entries.forEach(visit)
  return [...files].filter((file) => file.endsWith('.js'))
}
