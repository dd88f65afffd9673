// The part of the app's styles that a prerendered page uses: small enough to stand in the page itself.
import { transform } from 'lightningcss'

/** Leaves out the rules for classes and elements that the page does not have, what only they use, and those for paper. */
export function stylesOf(html, css) {
  const classes = new Set([...html.matchAll(/ class="([^"]*)"/g)].flatMap(([, names]) => decode(names).split(/\s+/)))
  const elements = new Set(['html', 'body', ...[...html.matchAll(/<([a-z]\w*)/g)].map(([, name]) => name)])
  const fits = (selector) =>
    selector.every((part) => {
      if (part.type === 'class') return classes.has(part.name)
      if (part.type === 'type') return elements.has(part.name)
      return !['where', 'has'].includes(part.kind) || part.selectors.some(fits)
    })
  const shown = filter(css, { style: (rule) => (rule.value.selectors.some(fits) ? undefined : []) })
  const used = filter(shown, {
    media: ({ value: { query } }) => (query.mediaQueries.every(({ mediaType }) => mediaType === 'print') ? [] : undefined),
    property: (rule) => (isUsed(shown, rule.value.name) ? undefined : []),
    keyframes: (rule) => (new RegExp(`animation[^;}]*\\b${rule.value.name.value}\\b`).test(shown) ? undefined : []),
  })
  return withoutUnused(used)
}

const isUsed = (css, property) => css.includes(`var(${property}`)

/** Leaves out the custom properties that nothing uses, or only others that nothing uses. */
function withoutUnused(css) {
  const less = css.replace(/(?<=[{;])(--[\w-]+):[^;{}]*(?:;|(?=}))/g, (declaration, property) => (isUsed(css, property) ? declaration : ''))
  return less === css ? css : withoutUnused(less)
}

function filter(css, Rule) {
  return transform({ filename: 'page.css', code: Buffer.from(css), minify: true, visitor: { Rule } }).code.toString()
}

/** React escapes these in an attribute. */
function decode(attribute) {
  const characters = { gt: '>', lt: '<', quot: '"', '#x27': "'", amp: '&' }
  return attribute.replace(/&(gt|lt|quot|#x27|amp);/g, (_, name) => characters[name])
}
