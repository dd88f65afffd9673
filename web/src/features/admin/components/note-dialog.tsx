import { useState } from 'react'
import { Button } from '@/components/button'
import { Dialog } from '@/components/dialog'
import { TextField } from '@/components/field'
import { Form } from '@/components/form'
import { toApiError } from '@/lib/api-error'

type Action = {
  mutateAsync: (values: { note: string }, options: { onSuccess: () => void }) => Promise<unknown>
  reset: () => void
  error: unknown
}

type NoteDialogProps = {
  open: boolean
  onClose: () => void
  title: string
  explanation: string
  label: string
  submitLabel: string
  action: Action
}

/** An act that needs a reason in words. */
export function NoteDialog({ open, onClose, title, explanation, action, ...rest }: NoteDialogProps) {
  const close = () => {
    action.reset()
    onClose()
  }
  return (
    <Dialog open={open} onClose={close} title={title}>
      <p className="mb-4 text-sm">{explanation}</p>
      <NoteForm {...rest} action={action} onDone={close} />
    </Dialog>
  )
}

type NoteFormProps = Pick<NoteDialogProps, 'label' | 'submitLabel' | 'action'> & { onDone: () => void }

function NoteForm({ label, submitLabel, action, onDone }: NoteFormProps) {
  const [note, setNote] = useState('')
  const [tried, setTried] = useState(false)
  const missing = tried && !note.trim() ? 'Enter a reason' : undefined
  const submit = () => {
    setTried(true)
    if (note.trim()) return action.mutateAsync({ note: note.trim() }, { onSuccess: onDone })
  }
  return (
    <Form onSubmit={submit} className="space-y-4">
      <TextField
        label={label}
        autoFocus
        maxLength={500}
        value={note}
        onChange={(event) => setNote(event.target.value)}
        error={missing ?? toApiError(action.error).fields['note']}
      />
      <div className="flex justify-end gap-3">
        <Button variant="ghost" onClick={onDone}>
          Cancel
        </Button>
        <Button type="submit" busyLabel="Saving...">
          {submitLabel}
        </Button>
      </div>
    </Form>
  )
}
