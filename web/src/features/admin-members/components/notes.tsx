import { Card } from '@/components/card'
import { useAddNote } from '@/features/admin/api/members'
import { useStaffName } from '@/features/admin/api/staff'
import type { MemberPage } from '@/features/admin/api/types'
import { formatMoment } from '@/lib/dates'
import { useMay } from '@/features/admin/permissions'
import { NoteButton } from '@/features/admin/components/note-dialog'

/** Notes that staff wrote about the member, who never sees them. */
export function Notes({ memberId, notes }: { memberId: string; notes: MemberPage['notes'] }) {
  const may = useMay()
  const staffName = useStaffName()
  const add = useAddNote(memberId)
  return (
    <Card className="p-4">
      <div className="flex items-center justify-between gap-4">
        <h2 className="text-base font-semibold">Notes</h2>
        {may('writeNotes') && (
          <NoteButton
            variant="secondary"
            size="sm"
            title="Add a note"
            explanation="Visible to staff only. It stays on the member’s record and cannot be changed."
            label="Note"
            submitLabel="Save"
            action={add}
          >
            Add a note
          </NoteButton>
        )}
      </div>
      {notes.length === 0 && <p className="mt-1 text-sm text-ink-faint">No notes yet. Members never see notes.</p>}
      <ul className="mt-1 divide-y divide-line text-sm">
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
