import { CalendarDays, Download, Search as SearchIcon, X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button } from '@/components/button'
import { TextField } from '@/components/field'
import type { Transaction } from '@/lib/api-types'
import { formatDay } from '@/lib/dates'
import { saveFile } from '@/lib/files'
import { csvOf } from '../csv'
import type { Search } from '../filter'

/** How long a text has to stay as it is before it is looked for. */
const PAUSE_MS = 400

type SearchProps = { search: Search; onChange: (search: Search) => void; shown: readonly Transaction[] }

/** Looks for transactions by a text and a period, and hands out what is shown. */
export function TransactionSearch({ search, onChange, shown }: SearchProps) {
  const [showsDates, setShowsDates] = useState(Boolean(search.from || search.to))
  const save = () => saveFile(new Blob([csvOf(shown)], { type: 'text/csv' }), 'solvane-transactions.csv')
  return (
    <div className="space-y-3">
      <div role="search" className="flex flex-wrap items-end gap-3">
        <div className="min-w-0 basis-full sm:flex-1 sm:basis-60">
          <TextBox q={search.q} onChange={(q) => onChange({ ...search, q })} />
        </div>
        <Button variant="secondary" aria-expanded={showsDates} icon={<CalendarDays aria-hidden className="size-4.5" />} onClick={() => setShowsDates(!showsDates)}>
          Dates
        </Button>
        <Button variant="secondary" disabled={shown.length === 0} icon={<Download aria-hidden className="size-4.5" />} onClick={save}>
          <span aria-hidden>CSV</span>
          <span className="sr-only">Save what is shown as CSV</span>
        </Button>
      </div>
      {showsDates && (
        <div className="grid grid-cols-2 gap-3 sm:max-w-md">
          <TextField label="From" type="date" value={search.from} max={search.to || undefined} onChange={({ target }) => onChange({ ...search, from: target.value })} />
          <TextField label="To" type="date" value={search.to} min={search.from || undefined} onChange={({ target }) => onChange({ ...search, to: target.value })} />
        </div>
      )}
      <Chips search={search} onChange={onChange} />
    </div>
  )
}

function TextBox({ q, onChange }: { q: string; onChange: (q: string) => void }) {
  const [text, setText] = useState(q)
  const [asked, setAsked] = useState(q)
  if (q !== asked) {
    setAsked(q)
    // Its chip was removed.
    if (!q) setText('')
  }
  useEffect(() => {
    const wanted = text.trim()
    if (wanted === q) return
    const timer = setTimeout(() => onChange(wanted), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text, q, onChange])
  return (
    <TextField
      label="Search"
      type="search"
      maxLength={128}
      autoComplete="off"
      placeholder="Reference, amount, address or hash"
      leading={<SearchIcon aria-hidden className="size-4" />}
      className="ps-10"
      value={text}
      onChange={({ target }) => setText(target.value)}
    />
  )
}

/** What is looked for, each to be taken away. */
function Chips({ search, onChange }: Pick<SearchProps, 'search' | 'onChange'>) {
  const day = (date: string) => formatDay(`${date}T00:00`)
  const chips = [
    { key: 'q', text: `“${search.q}”` },
    { key: 'from', text: `From ${search.from && day(search.from)}` },
    { key: 'to', text: `To ${search.to && day(search.to)}` },
  ] as const
  const given = chips.filter(({ key }) => search[key])
  if (given.length === 0) return null
  return (
    <ul aria-label="Looked for" className="flex flex-wrap gap-2">
      {given.map(({ key, text }) => (
        <li key={key}>
          <button
            type="button"
            onClick={() => onChange({ ...search, [key]: '' })}
            className="inline-flex min-h-9 max-w-full items-center gap-1.5 rounded-full bg-accent-soft px-3 text-sm font-medium text-accent-text pointer-coarse:min-h-11"
          >
            <span className="truncate">{text}</span>
            <X aria-hidden className="size-4 shrink-0" />
            <span className="sr-only">Remove</span>
          </button>
        </li>
      ))}
    </ul>
  )
}
