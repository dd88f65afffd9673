import { Card } from '@/components/card'
import { undoable, useAddNote, type Note } from '@/features/admin/api/members'
import { useStaffName } from '@/features/admin/api/staff'
import type { MemberPage } from '@/features/admin/api/types'
import { formatMoment } from '@/lib/dates'
import { useMay } from '@/features/admin/permissions'
import { usePending, useReturned } from '@/features/admin/undo'
import { NoteButton } from '@/features/admin/components/note-dialog'
import { ShownCsvButton } from '@/features/admin/components/shown-csv-button'

const columns = {
  at: (one: MemberPage['notes'][number]) => one.at,
  author: (one: MemberPage['notes'][number]) => one.authorName ?? one.authorId,
  note: (one: MemberPage['notes'][number]) => one.text,
}

/** Notes that staff wrote about the member, who never sees them. */
export function Notes({ memberId, notes }: { memberId: string; notes: MemberPage['notes'] }) {
  const may = useMay()
  const staffName = useStaffName()
  const add = useAddNote(memberId)
  const added = usePending<Note>(undoable.note(memberId)).reverse()
  const undone = useReturned<Note>(undoable.note(memberId))
  return (
    <Card className="p-4">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <h2 className="me-auto text-base font-semibold">Notes</h2>
        {notes.length > 0 && <ShownCsvButton size="sm" columns={columns} rows={notes} name="solvane-notes" aria-label="Notes as CSV" />}
        {may('writeNotes') && (
          <NoteButton
            variant="secondary"
            size="sm"
            title="Add a note"
            explanation="Visible to staff only. It stays on the member’s record and cannot be changed."
            label="Note"
            submitLabel="Save"
            action={{ mutateAsync: (values, { onSuccess }) => add(values).then(onSuccess), reset: () => undefined, error: null }}
            draft={undone?.note}
          >
            Add a note
          </NoteButton>
        )}
      </div>
      {notes.length + added.length === 0 && <p className="mt-1 text-sm text-ink-faint">No notes yet. Members never see notes.</p>}
      <ul className="mt-1 divide-y divide-line text-sm">
        {added.map(({ note }, index) => (
          <li key={index} className="py-2">
            <p className="break-words whitespace-pre-wrap">{note}</p>
            <p className="text-ink-faint">You, just now</p>
          </li>
        ))}
        {notes.map(({ authorId, authorName, at, text }) => (
          <li key={`${authorId}-${at}`} className="py-2">
            <p className="break-words whitespace-pre-wrap">{text}</p>
            <p className="text-ink-faint first-letter:uppercase">
              {staffName(authorId, authorName)}
              {at && `, ${formatMoment(at)}`}
            </p>
          </li>
        ))}
      </ul>
    </Card>
  )
}
