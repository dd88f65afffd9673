import { useState } from 'react'
import { Button } from '@/components/button'
import { Dialog } from '@/components/dialog'
import { SelectField, TextAreaField } from '@/components/field'
import { Form } from '@/components/form'
import { FormActions } from '@/components/form-actions'
import { useMay } from '@/features/admin/permissions'
import { toApiError } from '@/lib/api-error'
import { useProposeAnnouncement } from '../api/announcements'

const LONGEST = 500

const spans = [
  { value: '6', label: '6 hours' },
  { value: '24', label: '1 day' },
  { value: '72', label: '3 days' },
  { value: '168', label: '7 days' },
  { value: '720', label: '30 days' },
]

/** The way to an announcement, for those who may propose one [D-M7]. */
export function AnnounceButton() {
  const may = useMay()
  const [typing, setTyping] = useState(false)
  if (!may('announce')) return null
  return (
    <>
      <Button onClick={() => setTyping(true)}>New announcement</Button>
      <Dialog open={typing} onClose={() => setTyping(false)} title="Announce to all members">
        <AnnouncementForm onDone={() => setTyping(false)} />
      </Dialog>
    </>
  )
}

function AnnouncementForm({ onDone }: { onDone: () => void }) {
  const propose = useProposeAnnouncement()
  const [text, setText] = useState('')
  const [hours, setHours] = useState('24')
  const [tried, setTried] = useState(false)
  const refused = toApiError(propose.error).fields
  const submit = () => {
    setTried(true)
    if (!text.trim()) return
    // One paragraph: line breaks of a paste become spaces.
    return propose.mutateAsync({ text: text.trim().replace(/\s+/g, ' '), hours: Number(hours) }, { onSuccess: onDone })
  }
  return (
    <Form onSubmit={submit} className="mt-3 space-y-4">
      <TextAreaField
        label="Text"
        rows={4}
        maxLength={LONGEST}
        hint={`One paragraph, ${LONGEST} characters at most. It is public: everybody can read it on the status page.`}
        value={text}
        onChange={({ target }) => setText(target.value)}
        error={tried && !text.trim() ? 'Enter a text' : refused['text']}
      />
      <SelectField label="Shown for" options={spans} value={hours} onChange={({ target }) => setHours(target.value)} error={refused['hours']} />
      <p className="text-sm text-ink-faint">Members see it once another person has confirmed it, for the chosen time from then on.</p>
      <FormActions submitLabel="Propose" busyLabel="Proposing..." onCancel={onDone} />
    </Form>
  )
}
