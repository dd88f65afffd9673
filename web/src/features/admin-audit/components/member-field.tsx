import { X } from 'lucide-react'
import { useId, useState, type KeyboardEvent } from 'react'
import { Link, useSearchParams } from 'react-router'
import { IconButton } from '@/components/button'
import { cx } from '@/components/cx'
import { TextField } from '@/components/field'
import { useMembers } from '@/features/admin/api/members'
import { adminPaths } from '@/features/admin/paths'
import { withParam } from '@/features/admin/use-typed-param'
import { usePaused } from '@/features/admin/use-paused'
import type { User } from '@/lib/api-types'

/** Filter by the member whom a row concerns: chosen by name, email, phone or id. */
export function MemberField({ id }: { id: string }) {
  const [, setParams] = useSearchParams()
  const choose = (member: string) => setParams((now) => withParam(now, 'member', member), { replace: true })
  return id ? <Chosen id={id} onClear={() => choose('')} /> : <Choice onChoose={choose} />
}

function Chosen({ id, onClear }: { id: string; onClear: () => void }) {
  const { members } = useMembers(id)
  const name = members?.find((one) => one.id === id)?.name ?? 'One member'
  return (
    <div role="group" aria-label="Member">
      <p className="mb-1.5 text-sm font-medium text-ink">Member</p>
      <div className="flex min-h-11.5 items-center justify-between gap-2 rounded-md border border-line-control bg-surface ps-3.5">
        <Link to={adminPaths.member(id)} className="min-w-0 truncate text-accent-text underline">
          {name}
        </Link>
        <IconButton label="Any member" onClick={onClear}>
          <X aria-hidden className="size-4.5" />
        </IconButton>
      </div>
    </div>
  )
}

/** Fewer characters find too many. */
const LEAST = 2
const MOST = 6

function Choice({ onChoose }: { onChoose: (id: string) => void }) {
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const [isOpen, setOpen] = useState(false)
  const wanted = usePaused(text)
  const list = useId()
  const { members, isFetching } = useMembers(wanted, { enabled: wanted.length >= LEAST })
  const isAsked = isOpen && text.trim().length >= LEAST
  const found = isAsked && wanted === text.trim() ? (members ?? []).slice(0, MOST) : []
  const current = Math.min(at, found.length - 1)
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step && found.length > 0) {
      event.preventDefault()
      setAt((current + step + found.length) % found.length)
    }
    if (event.key === 'Escape') setOpen(false)
    // What an input method composes ends with Enter, too.
    const member = found[current]
    if (event.key === 'Enter' && !event.nativeEvent.isComposing && member) onChoose(member.id)
  }
  const isNone = isAsked && wanted === text.trim() && !isFetching && found.length === 0
  return (
    <div className="relative">
      <TextField
        label="Member"
        role="combobox"
        aria-expanded={found.length > 0}
        aria-controls={list}
        aria-autocomplete="list"
        aria-activedescendant={found[current] ? `${list}-${current}` : undefined}
        autoComplete="off"
        spellCheck={false}
        placeholder="Anyone"
        value={text}
        onChange={(event) => (setText(event.target.value), setAt(0), setOpen(true))}
        onKeyDown={press}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
      />
      <div
        className={cx(
          'absolute inset-x-0 top-full z-20 mt-1 max-h-80 overflow-y-auto rounded-md border border-line bg-surface text-sm shadow-float',
          found.length === 0 && !isNone && 'hidden',
        )}
      >
        {isNone && <p className="px-3.5 py-2.5 text-ink-faint">No members found</p>}
        <div id={list} role="listbox" aria-label="Members found">
          {found.map((member, index) => (
            <Option key={member.id} id={`${list}-${index}`} member={member} isCurrent={index === current} onChoose={() => onChoose(member.id)} />
          ))}
        </div>
      </div>
      <p role="status" className="sr-only">
        {isNone ? 'No members found' : found.length > 0 ? `${found.length} members` : ''}
      </p>
    </div>
  )
}

type OptionProps = { id: string; member: User; isCurrent: boolean; onChoose: () => void }

const Option = ({ id, member, isCurrent, onChoose }: OptionProps) => (
  <div
    id={id}
    role="option"
    aria-selected={isCurrent}
    // The focus stays in the field.
    onMouseDown={(event) => event.preventDefault()}
    onClick={onChoose}
    className={cx('min-h-11 cursor-pointer px-3.5 py-1.5 hover:bg-sunken', isCurrent && 'bg-accent-soft')}
  >
    <span className="block truncate font-medium text-ink">{member.name}</span>
    <span className="block truncate text-xs text-ink-faint">{member.email}</span>
  </div>
)
