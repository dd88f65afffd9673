import { useEffect, useRef, useState } from 'react'
import { Button } from '@/components/button'
import { TextField } from '@/components/field'
import { Form } from '@/components/form'
import { StepActions } from '@/components/form-actions'
import { useReject } from '../api/review-transaction'
import type { Review, StaffTransaction } from '@/features/admin/api/types'
import { reasonsFor, rejectionMail, type Reason } from '../reasons'
import { useShortcuts } from '@/features/admin/use-shortcuts'
import { StaleNotice } from './stale-notice'

type FormProps = { review: Review; onDone: () => void; onBack: () => void }

/** A reason, the mail it makes, and a note that only staff reads. Digits choose, Enter sends. */
export function RejectForm({ review, onDone, onBack }: FormProps) {
  const { id, kind, revision } = review.transaction
  const reject = useReject(id)
  const form = useRef<HTMLFormElement>(null)
  const [seen] = useState(revision)
  const [reason, setReason] = useState<Reason>()
  const [note, setNote] = useState('')
  const [tried, setTried] = useState(false)
  const reasons = reasonsFor(kind)

  const radio = (index: number) => form.current?.querySelectorAll<HTMLInputElement>('input[type=radio]')[index]
  const choose = (index: number) => {
    setReason(reasons[index])
    radio(index)?.focus()
  }
  useEffect(() => form.current?.querySelector<HTMLInputElement>('input[type=radio]')?.focus(), [])
  useShortcuts({
    ...Object.fromEntries(reasons.map((_, index) => [String(index + 1), () => choose(index)])),
    Enter: () => form.current?.requestSubmit(),
  })

  const submit = () => {
    setTried(true)
    if (!reason) return
    const said = note.trim() ? { note: note.trim() } : {}
    return reject.mutateAsync({ revision: seen, reasonCode: reason.code, ...said }, { onSuccess: onDone })
  }

  return (
    <Form
      ref={form}
      onSubmit={submit}
      onKeyDown={(event) => event.key === 'Escape' && onBack()}
      className="space-y-4"
    >
      <h2 className="text-base font-semibold">Reject this {kind === 'course' ? 'course payment' : kind}</h2>
      <StaleNotice seen={seen} now={revision} error={reject.error} onBack={onBack} />
      <fieldset aria-describedby={tried && !reason ? 'reason-missing' : undefined}>
        <legend className="mb-1.5 text-sm font-medium">Reason</legend>
        <div className="overflow-hidden rounded-md border border-line-control">
          {reasons.map((one, index) => (
            <label
              key={one.code}
              className="flex min-h-10 items-center gap-3 border-b border-line px-3 text-sm last:border-b-0 hover:bg-sunken has-checked:bg-accent-soft has-checked:font-semibold has-focus-visible:outline-2 has-focus-visible:-outline-offset-2 has-focus-visible:outline-accent pointer-coarse:min-h-11"
            >
              <input
                type="radio"
                name="reason"
                value={one.code}
                checked={reason?.code === one.code}
                onChange={() => setReason(one)}
                className="size-4 shrink-0 accent-(--accent)"
              />
              {one.name}
              <span aria-hidden className="ms-auto font-mono text-xs text-ink-faint max-lg:hidden">
                {index + 1}
              </span>
            </label>
          ))}
        </div>
        {tried && !reason && (
          <p id="reason-missing" role="alert" className="mt-1.5 text-sm text-negative">
            Choose a reason. It is shown to the member.
          </p>
        )}
      </fieldset>
      {reason && <MailPreview transaction={review.transaction} reason={reason} />}
      <TextField label="Note for the audit log" optional value={note} onChange={(event) => setNote(event.target.value)} maxLength={500} />
      <StepActions onCancel={onBack}>
        <Button type="submit" variant="danger" busyLabel="Rejecting...">
          Reject
        </Button>
      </StepActions>
    </Form>
  )
}

/** The words that go to the member. */
function MailPreview({ transaction, reason }: { transaction: StaffTransaction; reason: Reason }) {
  const mail = rejectionMail(transaction, reason)
  if (!mail) return null
  return (
    <section aria-label="Email to the member" className="rounded-md border border-line bg-sunken/60 p-3.5 text-sm text-ink-soft">
      <p className="text-xs text-ink-faint">Mail to {transaction.user.email}</p>
      <p className="mt-1 font-semibold text-ink">{mail.subject}</p>
      {mail.paragraphs.map((paragraph) => (
        <p key={paragraph} className="mt-1.5 break-words whitespace-pre-line">
          {paragraph}
        </p>
      ))}
    </section>
  )
}
