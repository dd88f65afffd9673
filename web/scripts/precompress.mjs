// Writes a .br and a .gz beside every compressible asset of dist. Pages and what else names the operator are compressed by
// the gateway, which completes them.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

const dist = fileURLToPath(new URL('../dist/', import.meta.url))
const COMPRESSIBLE = /(?<!^sw)\.(js|css|svg|json|txt|md)$/
const SMALLEST_BYTES = 256

for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || !COMPRESSIBLE.test(entry.name)) continue
  const path = `${entry.parentPath}/${entry.name}`
  const content = readFileSync(path)
  if (content.length < SMALLEST_BYTES) continue
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: content.length }
  writeFileSync(`${path}.br`, brotliCompressSync(content, { params }))
  writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }))
}
