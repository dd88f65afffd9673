import { Search } from 'lucide-react'
import { memo, useEffect, useMemo, useRef, useState, type ReactNode } from 'react'
import { formatClock } from '@/lib/durations'
import { cx } from '../cx'
import { Skeleton } from '../skeleton'
import { folded } from './folded'
import { cueAt, type Cue, type useCues } from './use-cues'

type TranscriptProps = ReturnType<typeof useCues> & { time: number; onSeek: (seconds: number) => void }

/** What is said, to read, to search and to jump by. It follows the video while nobody reads elsewhere in it. */
export function Transcript({ state, cues, time, onSeek }: TranscriptProps) {
  const [query, setQuery] = useState('')
  const wanted = folded(query.trim())
  const found = useMemo(() => cues.map((cue, index) => ({ cue, index })).filter(({ cue }) => folded(cue.text).includes(wanted)), [cues, wanted])
  const current = cueAt(cues, time)
  const list = useFollowing(current, wanted === '')
  if (state === 'failed') return <p className="p-5 text-sm text-ink-soft">The transcript could not be loaded. Reload the page to try again.</p>
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="border-b border-line p-3">
        <div className="relative">
          <Search aria-hidden className="pointer-events-none absolute inset-y-0 inset-s-3 my-auto size-4 text-ink-faint" />
          <input
            type="search"
            aria-label="Search the transcript"
            placeholder="Search the transcript"
            value={query}
            onChange={(event) => setQuery(event.target.value)}
            className="block min-h-9 w-full rounded-md border border-line-control bg-surface pe-2 ps-9 text-base placeholder:text-ink-faint sm:text-sm pointer-coarse:min-h-11"
          />
        </div>
        <p role="status" className={wanted ? 'mt-1.5 text-sm text-ink-faint' : 'sr-only'}>
          {wanted && (found.length === 0 ? 'Nothing found' : `${found.length} ${found.length === 1 ? 'place' : 'places'} found`)}
        </p>
      </div>
      {state === 'loading' ? (
        <Skeleton className="m-4 h-40" />
      ) : (
        <ol ref={list} tabIndex={-1} className="min-h-0 flex-1 overflow-y-auto overscroll-contain p-2">
          {found.map(({ cue, index }) => (
            <CueRow key={index} cue={cue} wanted={wanted} isCurrent={index === current} onSeek={onSeek} />
          ))}
        </ol>
      )}
    </div>
  )
}

type CueRowProps = { cue: Cue; wanted: string; isCurrent: boolean; onSeek: (seconds: number) => void }

const CueRow = memo(function CueRow({ cue: { start, text }, wanted, isCurrent, onSeek }: CueRowProps) {
  return (
    <li>
      <button
        type="button"
        aria-current={isCurrent || undefined}
        onClick={() => onSeek(start)}
        className={cx(
          'flex w-full gap-3 rounded-md px-2 py-1.5 text-start text-sm pointer-coarse:py-2.5',
          isCurrent ? 'bg-accent-soft text-ink' : 'text-ink-soft hover:bg-sunken',
        )}
      >
        <span className={cx('tabular w-9 shrink-0 text-end', isCurrent ? 'text-accent-text' : 'text-ink-faint')}>{formatClock(start)}</span>
        <span className="min-w-0 flex-1">{marked(text, wanted)}</span>
      </button>
    </li>
  )
})

/** The text with what is looked for in it. */
function marked(said: string, wanted: string): ReactNode {
  const text = said.normalize('NFC')
  const at = wanted ? folded(text).indexOf(wanted) : -1
  if (at < 0) return said
  const end = at + wanted.length
  return (
    <>
      {text.slice(0, at)}
      <mark className="rounded-sm bg-caution-soft text-caution">{text.slice(at, end)}</mark>
      {text.slice(end)}
    </>
  )
}

/** Keeps the current line in sight, by scrolling the list alone, unless the pointer or the focus is in it. */
function useFollowing(current: number, active: boolean) {
  const list = useRef<HTMLOListElement>(null)
  useEffect(() => {
    const node = list.current
    const row = node?.children[current]
    if (!active || !node || !(row instanceof HTMLElement) || node.matches(':hover, :focus-within')) return
    const top = row.offsetTop - node.offsetTop - node.clientHeight / 3
    node.scrollTo({ top, behavior: window.matchMedia('(prefers-reduced-motion: reduce)').matches ? 'auto' : 'smooth' })
  }, [current, active])
  return list
}
