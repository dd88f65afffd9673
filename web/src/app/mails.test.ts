import { expect, it } from 'vitest'

// The mailer's own file and the app's own colours, so that neither changes without the other.
const files = import.meta.glob<string>(['./tokens.css', '../../../services/mailer/templates/layout.html.j2'], { query: '?raw', import: 'default', eager: true })
const file = (end: string) => Object.entries(files).find(([name]) => name.endsWith(end))?.[1] ?? ''

const [light = '', dark = ''] = file('tokens.css').split("[data-theme='dark']")

function colour(theme: string, name: string) {
  const [, ...parts] = new RegExp(`--${name}: oklch\\(([\\d.]+) ([\\d.]+) ([\\d.]+)\\)`).exec(theme) ?? []
  const [lightness = 0, chroma = 0, hue = 0] = parts.map(Number)
  return hexOf(lightness, chroma * Math.cos((hue * Math.PI) / 180), chroma * Math.sin((hue * Math.PI) / 180))
}

/** OKLab to sRGB, after CSS Color 4. */
function hexOf(lightness: number, a: number, b: number) {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3
  const linear = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ]
  const bytes = linear.map((part) => Math.round(255 * Math.min(1, part <= 0.0031308 ? 12.92 * Math.max(0, part) : 1.055 * part ** (1 / 2.4) - 0.055)))
  return `#${bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

it('mails wear the colours of the app, light and dark', () => {
  const layout = file('layout.html.j2')
  expect(layout).toContain(`.brand { margin: 0 0 20px; font-size: 18px; font-weight: 700; color: ${colour(light, 'accent')}`)
  expect(layout).toContain(`background: ${colour(light, 'accent')}; color: #ffffff`)
  expect(layout).toContain(`.brand { color: ${colour(dark, 'accent-text')}; }`)
  expect(layout).toContain(`background: ${colour(dark, 'accent')}; color: ${colour(dark, 'accent-ink')}`)
})
