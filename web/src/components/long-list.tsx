import { startTransition, useEffect, useRef, useState, type ReactNode } from 'react'
import { flushSync } from 'react-dom'
import { cx } from './cx'

/** Rows that come and go together. */
const BLOCK = 50
/** Rows of the first paint, enough for a screen; the other ones of their block come right after it. */
const FIRST = 12
/** How far beyond the screen rows are kept, so that scrolling and the Tab key find them there. */
const AROUND = '1000px'

type LongListProps = {
  count: number
  /** The height in pixels that is assumed for rows that were never shown. */
  rowHeight: number
  /** A row that stays in the page wherever the screen is, because it is about to be focused. */
  keep?: number
  className?: string
  /** The rows of a part of the list, each a `LongListRow`. */
  children: (from: number, to: number) => ReactNode
}

/** A list of which only the rows near the screen are in the page. Printing and the browser's search get all of them. */
export function LongList({ count, rowHeight, keep = -1, className, children }: LongListProps) {
  const isWhole = useIsWhole()
  const isPainted = useIsPainted()
  const starts = Array.from({ length: Math.ceil(count / BLOCK) }, (_, block) => block * BLOCK)
  return (
    <div role="list" className={className}>
      {starts.map((from) => {
        const to = Math.min(from + BLOCK, count)
        return (
          <Block key={from} isFirst={from === 0} isKept={isWhole || (from <= keep && keep < to)} height={(to - from) * rowHeight} className={className}>
            {() => children(from, isPainted || isWhole || keep >= 0 ? to : Math.min(to, from + FIRST))}
          </Block>
        )
      })}
    </div>
  )
}

type RowProps = { index: number; count: number; isCurrent?: boolean; className?: string; children: ReactNode }

/** A row that says which one of how many it is, since its neighbours may not be in the page. */
export function LongListRow({ index, count, isCurrent, className, children }: RowProps) {
  return (
    <div role="listitem" aria-posinset={index + 1} aria-setsize={count} data-current={isCurrent ? '' : undefined} className={className}>
      {children}
    </div>
  )
}

type BlockProps = { isFirst: boolean; isKept: boolean; height: number; className?: string; children: () => ReactNode }

function Block({ isFirst, isKept, height, className, children }: BlockProps) {
  const block = useRef<HTMLDivElement>(null)
  const [isNear, setIsNear] = useState(isFirst || typeof IntersectionObserver === 'undefined')
  const [known, setKnown] = useState<number>()
  useEffect(() => {
    const element = block.current
    if (!element || typeof IntersectionObserver === 'undefined') return
    const observer = new IntersectionObserver(
      (entries) => {
        // A batch may tell that the block left and came back: the newest counts.
        const entry = entries.at(-1)
        // What has the focus stays, or the next Tab would begin at the top of the page.
        if (!entry || (!entry.isIntersecting && element.contains(document.activeElement))) return
        const { width, height: measured } = entry.boundingClientRect
        // Without a width, each word has a line of its own.
        if (element.hasChildNodes() && width > 0) setKnown(measured)
        setIsNear(entry.isIntersecting)
      },
      { rootMargin: AROUND },
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  const isShown = isNear || isKept
  return (
    <div ref={block} role="presentation" className={cx(isShown && className)} style={isShown ? undefined : { height: known ?? height }}>
      {isShown && children()}
    </div>
  )
}

function useIsPainted() {
  const [isPainted, setIsPainted] = useState(false)
  useEffect(() => startTransition(() => setIsPainted(true)), [])
  return isPainted
}

/** Whether all rows have to be in the page: from the first search or print on. */
function useIsWhole() {
  const [isWhole, setIsWhole] = useState(false)
  useEffect(() => {
    const show = () => flushSync(() => setIsWhole(true))
    const search = (event: KeyboardEvent) => {
      if (event.key === 'F3' || ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'f')) show()
    }
    addEventListener('keydown', search)
    addEventListener('beforeprint', show)
    return () => {
      removeEventListener('keydown', search)
      removeEventListener('beforeprint', show)
    }
  }, [])
  return isWhole
}
