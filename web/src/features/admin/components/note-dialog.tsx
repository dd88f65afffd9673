import { useState } from 'react'
import { Button, type ButtonProps } from '@/components/button'
import { Dialog } from '@/components/dialog'
import { TextField } from '@/components/field'
import { Form } from '@/components/form'
import { FormActions } from '@/components/form-actions'
import { toApiError } from '@/lib/api-error'

type Action = {
  mutateAsync: (values: { note: string }, options: { onSuccess: () => void }) => Promise<unknown>
  reset: () => void
  error: unknown
}

type NoteButtonProps = Omit<ButtonProps, 'action' | 'onClick'> & {
  title: string
  explanation: string
  label: string
  submitLabel: string
  action: Action
  /** What the field begins with. */
  draft?: string
}

/** A button for an action that needs a written reason, which it asks for in a dialog. */
export function NoteButton({ title, explanation, label, submitLabel, action, draft, ...button }: NoteButtonProps) {
  const [open, setOpen] = useState(false)
  const close = () => {
    action.reset()
    setOpen(false)
  }
  return (
    <>
      <Button {...button} onClick={() => setOpen(true)} />
      <Dialog open={open} onClose={close} title={title}>
        <p className="mb-4 text-sm">{explanation}</p>
        <NoteForm label={label} submitLabel={submitLabel} action={action} draft={draft} onDone={close} />
      </Dialog>
    </>
  )
}

type NoteFormProps = Pick<NoteButtonProps, 'label' | 'submitLabel' | 'action' | 'draft'> & { onDone: () => void }

function NoteForm({ label, submitLabel, action, draft = '', onDone }: NoteFormProps) {
  const [note, setNote] = useState(draft)
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
      <FormActions submitLabel={submitLabel} busyLabel="Saving..." onCancel={onDone} />
    </Form>
  )
}
