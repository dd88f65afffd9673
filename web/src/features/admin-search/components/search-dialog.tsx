import { Search } from 'lucide-react'
import { useDeferredValue, useEffect, useEffectEvent, useId, useRef, useState, type KeyboardEvent } from 'react'
import { useNavigate } from 'react-router'
import { cx } from '@/components/cx'
import { Modal } from '@/components/dialog'
import { usePaused } from '@/features/admin/use-paused'
import { isSearchable, useSearch } from '../api/search'
import { resultsOf, type BackOfficePage, type Result } from '../results'

export type SearchProps = { open: boolean; onClose: () => void; pages: readonly BackOfficePage[] }

/** One box for everything of the back office; a combobox whose list stands below it. */
export function SearchDialog({ open, onClose, pages }: SearchProps) {
  return (
    <Modal
      open={open}
      onClose={onClose}
      canLeave
      label="Search the back office"
      className="mx-auto mt-[12dvh] w-[calc(100%-2rem)] max-w-xl rounded-xl border border-line bg-surface p-0 text-ink shadow-float open:animate-rise"
    >
      <Box pages={pages} onClose={onClose} />
    </Modal>
  )
}

function Box({ pages, onClose }: Omit<SearchProps, 'open'>) {
  const [text, setText] = useState('')
  const wanted = usePaused(text)
  const { data, isPlaceholderData, isLoading, isError } = useSearch(wanted)
  const answer = isSearchable(text) ? resultsOf(text, pages, isSearchable(wanted) ? data : undefined) : []
  const results = useDeferredValue(answer)
  // What is shown until then answers the previous text.
  const isWaiting = isSearchable(text) && (isPlaceholderData || isLoading || wanted !== text.trim())
  // Enter came before the answer to this text.
  const [isEntered, setEntered] = useState(false)
  const [at, setAt] = useState(0)
  const current = Math.min(at, results.length - 1)
  const navigate = useNavigate()
  const list = useId()
  const open = (result: Result | undefined) => {
    if (!result) return
    onClose()
    void navigate(result.to)
  }
  const press = (event: KeyboardEvent) => {
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 }
    const step = steps[event.key]
    if (step && results.length > 0) {
      event.preventDefault()
      setAt((current + step + results.length) % results.length)
    }
    // What an input method composes ends with Enter, too.
    if (event.key !== 'Enter' || event.nativeEvent.isComposing) return
    if (isWaiting) setEntered(true)
    else open(answer[current])
  }
  const openFirst = useEffectEvent(() => open(answer[0]))
  useEffect(() => {
    if (isEntered && !isWaiting && !isError) openFirst()
  }, [isEntered, isWaiting, isError])
  const said = !isSearchable(text)
    ? 'A name, an email, a phone number, TNX-…, a hash, an address, an amount or a page'
    : isError
      ? 'The search failed. Please try again.'
      : isWaiting
        ? 'Searching…'
        : results.length === 0
          ? 'Nothing found'
          : `${results.length} ${results.length === 1 ? 'result' : 'results'}`
  const missing = data?.missing ?? []
  return (
    <>
      <div className="flex items-center gap-3 border-b border-line px-4">
        <Search aria-hidden className="size-5 shrink-0 text-ink-faint" />
        <input
          // The dialog is opened to type.
          autoFocus
          role="combobox"
          aria-label="Search"
          aria-expanded={results.length > 0}
          aria-controls={list}
          aria-autocomplete="list"
          aria-activedescendant={results[current] ? `${list}-${current}` : undefined}
          autoComplete="off"
          spellCheck={false}
          maxLength={128}
          value={text}
          onChange={(event) => (setText(event.target.value), setAt(0), setEntered(false))}
          onKeyDown={press}
          className="h-14 w-full bg-transparent text-base text-ink outline-none placeholder:text-ink-faint"
          placeholder="Search"
        />
      </div>
      <Results id={list} results={results} current={current} onChoose={open} onPoint={setAt} />
      <div className="flex flex-wrap justify-between gap-x-4 border-t border-line px-4 py-2.5 text-xs text-ink-faint">
        <p role="status">{said}</p>
        {missing.length > 0 && <p className="text-caution">{`Not answered in time: ${missing.join(', ')}`}</p>}
      </div>
    </>
  )
}

type ResultsProps = { id: string; results: Result[]; current: number; onChoose: (result: Result) => void; onPoint: (index: number) => void }

function Results({ id, results, current, onChoose, onPoint }: ResultsProps) {
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' })
  }, [current])
  return (
    <div ref={list} id={id} role="listbox" aria-label="Results" className={cx('max-h-[50dvh] overflow-y-auto', results.length > 0 && 'py-2')}>
      {results.map((result, index) => (
        <div
          key={result.id}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === current}
          // The focus stays in the box.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(result)}
          onMouseMove={() => index !== current && onPoint(index)}
          className={cx('mx-2 flex min-h-11 cursor-pointer items-center justify-between gap-4 rounded-md px-2.5 py-1.5 text-sm', index === current && 'bg-accent-soft')}
        >
          <span className="min-w-0">
            <span className="block truncate font-medium text-ink">{result.title}</span>
            {result.detail && <span className="block truncate text-xs text-ink-faint">{result.detail}</span>}
          </span>
          <span className="shrink-0 text-xs text-ink-faint">{result.group}</span>
        </div>
      ))}
    </div>
  )
}
