import { NotebookPen, Pencil, Trash2 } from 'lucide-react'
import { useId, useState } from 'react'
import { Button, IconButton } from '@/components/button'
import { Confirmation } from '@/components/confirmation'
import { TextAreaField } from '@/components/field'
import { Form } from '@/components/form'
import { Skeleton } from '@/components/skeleton'
import { ErrorPanel } from '@/components/states'
import { toApiError } from '@/lib/api-error'
import { formatClock, formatSpoken } from '@/lib/durations'
import type { Note } from '../api/course'
import { useAddNote, useChangeNote, useDeleteNote, useNotes } from '../api/notes'

const MOST_CHARACTERS = 2_000

type LessonNotesProps = { lessonId: string; time: number; onSeek: (seconds: number) => void }

/** The member's own notes, each at a moment of the video. */
export function LessonNotes({ lessonId, time, onSeek }: LessonNotesProps) {
  const { data: notes, error, isFetching, refetch } = useNotes(lessonId)
  const add = useAddNote(lessonId)
  const [editing, setEditing] = useState<string>()
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="border-b border-line p-3">
        <NoteForm
          label="New note"
          verb={`Add at ${formatClock(time)}`}
          onSave={(text) => add.mutateAsync({ position: Math.floor(time), text })}
          error={toApiError(add.error).fields['text']}
        />
      </div>
      {!notes ? (
        error ? <ErrorPanel error={error} title="Your notes could not be loaded" onRetry={() => void refetch()} busy={isFetching} /> : <Skeleton className="m-4 h-24" />
      ) : notes.length === 0 ? (
        <p className="flex min-h-0 flex-1 flex-col items-center gap-2 overflow-y-auto px-6 py-5 text-center text-sm text-ink-faint">
          <NotebookPen aria-hidden className="size-5 shrink-0" />
          Your notes appear here, next to the moment they are about. Only you can see them.
        </p>
      ) : (
        <ul className="min-h-0 flex-1 divide-y divide-line overflow-y-auto overscroll-contain">
          {notes.map((note) => (
            <NoteRow key={note.id} lessonId={lessonId} note={note} isEdited={editing === note.id} onEdit={setEditing} onSeek={onSeek} />
          ))}
        </ul>
      )}
    </div>
  )
}

type NoteRowProps = { lessonId: string; note: Note; isEdited: boolean; onEdit: (id: string | undefined) => void; onSeek: (seconds: number) => void }

function NoteRow({ lessonId, note, isEdited, onEdit, onSeek }: NoteRowProps) {
  const change = useChangeNote(lessonId)
  const remove = useDeleteNote(lessonId)
  const [asking, setAsking] = useState(false)
  const at = formatClock(note.position)
  if (isEdited) {
    return (
      <li className="p-3">
        <NoteForm
          label={`Note at ${at}`}
          verb="Save"
          initial={note.text}
          onSave={async (text) => {
            await change.mutateAsync({ id: note.id, position: note.position, text })
            onEdit(undefined)
          }}
          onCancel={() => onEdit(undefined)}
          error={toApiError(change.error).fields['text']}
        />
      </li>
    )
  }
  return (
    <li className="flex items-start gap-2 py-1.5 pe-1 ps-3">
      <button
        type="button"
        onClick={() => onSeek(note.position)}
        aria-label={`Go to ${formatSpoken(note.position)}`}
        className="tabular mt-1.5 rounded-sm bg-accent-soft px-1.5 py-1 text-xs font-semibold text-accent-text hover:underline"
      >
        {at}
      </button>
      <p className="min-w-0 flex-1 py-2 text-sm wrap-anywhere whitespace-pre-wrap">{note.text}</p>
      <span className="flex shrink-0">
        <IconButton label={`Edit the note at ${at}`} onClick={() => onEdit(note.id)} size="sm">
          <Pencil aria-hidden className="size-4" />
        </IconButton>
        <IconButton label={`Delete the note at ${at}`} onClick={() => setAsking(true)} size="sm">
          <Trash2 aria-hidden className="size-4" />
        </IconButton>
      </span>
      <Confirmation
        act="DELETE /courses/lessons/{id}/notes/{noteId}"
        facts={asking ? { at, text: note.text } : undefined}
        onConfirm={() => remove.mutateAsync(note.id, { onSettled: () => setAsking(false) })}
        onClose={() => setAsking(false)}
      />
    </li>
  )
}

type NoteFormProps = { label: string; verb: string; initial?: string; error?: string; onSave: (text: string) => Promise<unknown>; onCancel?: () => void }

function NoteForm({ label, verb, initial = '', error, onSave, onCancel }: NoteFormProps) {
  const [text, setText] = useState(initial)
  const id = useId()
  const save = async () => {
    if (!text.trim()) return
    try {
      await onSave(text.trim())
      setText('')
    } catch {
      // Said at the field or by a toast; the text stays.
    }
  }
  return (
    <Form onSubmit={save}>
      <TextAreaField id={id} label={label} rows={2} maxLength={MOST_CHARACTERS} value={text} error={error} onChange={(event) => setText(event.target.value)} className="text-sm" />
      <div className="mt-2 flex justify-end gap-2">
        {onCancel && (
          <Button variant="ghost" size="sm" onClick={onCancel}>
            Cancel
          </Button>
        )}
        <Button type="submit" size="sm" variant="secondary" disabled={!text.trim()} className="tabular">
          {verb}
        </Button>
      </div>
    </Form>
  )
}
