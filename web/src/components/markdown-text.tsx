import Markdown from 'markdown-to-jsx/react'
import { Children, createContext, useContext, type ComponentProps, type ReactNode } from 'react'
import { OWN_PICTURE } from '@/lib/markdown-pictures'

type MarkdownTextProps = {
  markdown: string
  /** What stands for `![words](media:id)`: a picture of the course's own files. */
  picture?: (id: string, alt: string) => ReactNode
}

const OwnPicture = createContext<MarkdownTextProps['picture']>(undefined)

/** Markdown as React elements. Raw HTML in it stays text, and links are limited to safe schemes. */
export function MarkdownText({ markdown, picture }: MarkdownTextProps) {
  return (
    <OwnPicture value={picture}>
      <Markdown options={options} className="text-base leading-7 text-ink">
        {markdown}
      </Markdown>
    </OwnPicture>
  )
}

const options = {
  disableParsingRawHTML: true,
  forceBlock: true,
  overrides: {
    h1: withClass('h2', 'mt-10 mb-3 text-xl font-semibold'),
    h2: withClass('h2', 'mt-10 mb-3 text-xl font-semibold'),
    h3: withClass('h3', 'mt-7 mb-2 text-lg font-semibold'),
    p: withClass('p', 'my-4 text-pretty'),
    ul: withClass('ul', 'my-4 list-disc space-y-2 ps-6 marker:text-ink-faint'),
    ol: withClass('ol', 'my-4 list-decimal space-y-2 ps-6 marker:text-ink-faint'),
    blockquote: withClass('blockquote', 'my-6 rounded-lg border-s-4 border-accent bg-accent-soft px-5 py-1 text-ink'),
    strong: withClass('strong', 'font-semibold'),
    pre: Code,
    code: withClass('code', 'rounded-sm bg-sunken px-1.5 py-0.5 font-mono text-[0.875em] break-words'),
    th: HeadCell,
    td: withClass('td', 'border-b border-line px-3 py-2 align-top'),
    table: Table,
    a: OutsideLink,
    img: Picture,
  },
}

function withClass<Tag extends 'h2' | 'h3' | 'p' | 'ul' | 'ol' | 'blockquote' | 'strong' | 'code' | 'td'>(tag: Tag, className: string) {
  return { component: tag, props: { className } }
}

/** A heading without a word is not shown. */
function HeadCell({ children, style }: Pick<ComponentProps<'th'>, 'children' | 'style'>) {
  const isBlank = Children.toArray(children).every((child) => typeof child === 'string' && !child.trim())
  if (isBlank) return <td className="border-b border-line-control" />
  return (
    <th scope="col" style={style} className="border-b border-line-control px-3 py-2 text-start font-semibold">
      {children}
    </th>
  )
}

/** Wide tables scroll by themselves, so that the page never does. */
function Table({ children }: { children?: ReactNode }) {
  return (
    <div role="region" aria-label="Table" tabIndex={0} className="my-6 overflow-x-auto">
      <table className="w-full border-collapse text-sm">{children}</table>
    </div>
  )
}

/** Long lines scroll by themselves, as in a table. */
function Code({ children }: { children?: ReactNode }) {
  return (
    <pre
      role="region"
      aria-label="Code"
      tabIndex={0}
      className="my-6 overflow-x-auto rounded-lg bg-sunken p-4 text-sm leading-6 [&_code]:bg-transparent [&_code]:p-0 [&_code]:break-normal"
    >
      {children}
    </pre>
  )
}

/** A picture of another site is a link: the content policy shows the platform's own alone. */
function Picture({ src, alt = '' }: ComponentProps<'img'>) {
  const own = useContext(OwnPicture)
  if (src?.startsWith(OWN_PICTURE)) return own?.(src.slice(OWN_PICTURE.length), alt) ?? alt
  if (!src || /^(data:|\/(?!\/))/.test(src)) return <img src={src} alt={alt} className="my-6 h-auto max-w-full rounded-lg" />
  return <OutsideLink href={src}>{alt || 'Picture'}</OutsideLink>
}

function OutsideLink({ children, href }: ComponentProps<'a'>) {
  return (
    <a href={href} rel="noreferrer" className="font-medium text-accent-text underline underline-offset-3">
      {children}
    </a>
  )
}
