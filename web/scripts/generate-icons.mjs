// Draws the install icons of public/ from favicon.svg with the browser: node scripts/generate-icons.mjs
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { chromium } from '@playwright/test'

const publicFolder = fileURLToPath(new URL('../public/', import.meta.url))
const svg = readFileSync(`${publicFolder}favicon.svg`, 'utf8')
const ACCENT = '#2b3fb5'

/** `inset`: the part of the edge kept free, which launchers may cut off a maskable icon. */
const icons = [
  { file: 'icon-192.png', size: 192, inset: 0 },
  { file: 'icon-512.png', size: 512, inset: 0 },
  { file: 'icon-maskable-512.png', size: 512, inset: 0.12, background: ACCENT },
  { file: 'apple-touch-icon.png', size: 180, inset: 0.06, background: ACCENT },
]

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium', args: ['--no-sandbox'] })
for (const { file, size, inset, background = 'transparent' } of icons) {
  const page = await browser.newPage({ viewport: { width: size, height: size } })
  const edge = Math.round(size * inset)
  await page.setContent(
    `<style>body{margin:0;background:${background}}svg{position:absolute;left:${edge}px;top:${edge}px;width:${size - 2 * edge}px;height:${size - 2 * edge}px}</style>${svg}`,
  )
  writeFileSync(`${publicFolder}${file}`, await page.screenshot({ omitBackground: true }))
  await page.close()
}
await browser.close()
