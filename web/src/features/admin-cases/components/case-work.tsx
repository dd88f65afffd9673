import { useState } from 'react'
import { Link } from 'react-router'
import { Badge } from '@/components/badge'
import { Button } from '@/components/button'
import { Card } from '@/components/card'
import { CaseMessages } from '@/components/case-messages'
import { DetailList } from '@/components/detail-list'
import { Dialog } from '@/components/dialog'
import { SelectField, TextAreaField } from '@/components/field'
import { Form } from '@/components/form'
import { Notice } from '@/components/notice'
import { Skeletons } from '@/components/skeleton'
import { ErrorPanel } from '@/components/states'
import { firstAnswers } from '@/content/case-answers'
import { useStaffName } from '@/features/admin/api/staff'
import type { Colleague, StaffCase } from '@/features/admin/api/types'
import { AdminPage } from '@/features/admin/components/admin-page'
import { adminPaths } from '@/features/admin/paths'
import { useMay } from '@/features/admin/permissions'
import { toApiError } from '@/lib/api-error'
import { states, subjectText, topics } from '@/lib/case-words'
import { formatZoned } from '@/lib/dates'
import { useMember } from '@/lib/session'
import { useAnswerCase, useCloseStaffCase, useColleagues, useOwnCase, useOwner, useRegisterComplaint, useStaffCase } from '../api/cases'

/** A case with its facts, what was written, and the answer [D-M8]. */
export function CaseWork({ id }: { id: string }) {
  const { data, isPending, isFetching, error, refetch } = useStaffCase(id)
  const may = useMay()
  const back = { to: adminPaths.cases, label: 'All cases' }
  if (!data) {
    return (
      <AdminPage title="Case" back={back}>
        {isPending ? <Skeletons count={3} className="h-28" label="Loading the case" /> : <ErrorPanel error={error} onRetry={() => void refetch()} busy={isFetching} />}
      </AdminPage>
    )
  }
  const { case: one, messages } = data
  const member = one.memberName ?? 'the member'
  return (
    <AdminPage title={`Case ${one.number}`} back={back} action={may('answerCases') && one.state !== 'closed' && <Acts case={one} />}>
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
        <div className="space-y-6">
          <CaseMessages
            messages={messages}
            own="staff"
            nameOf={({ author, authorName }) => (author === 'member' ? member : (authorName ?? 'a colleague'))}
          />
          {may('answerCases') && one.state !== 'closed' && <AnswerForm id={id} seen={messages.length} />}
        </div>
        <Facts case={one} />
      </div>
    </AdminPage>
  )
}

function Facts({ case: one }: { case: StaffCase }) {
  const { ownerId, ownerName, assignedBy, assignedByName } = useOwner(one)
  const staffName = useStaffName()
  const from = assignedBy ? `, handed over by ${staffName(assignedBy, assignedByName)}` : ''
  const owner = ownerId ? `${staffName(ownerId, ownerName)}${from}` : 'No owner'
  const { label, tone } = states[one.state]
  return (
    <Card className="px-4 py-1">
      <DetailList
        items={[
          { label: 'State', value: <Badge tone={tone}>{one.state === 'open' ? 'To answer' : label}</Badge> },
          { label: 'Member', value: <Link className="text-accent-text underline" to={adminPaths.member(one.memberId)}>{one.memberName ?? one.memberId.slice(0, 8)}</Link> },
          { label: 'Topic', value: topics[one.topic] },
          ...(one.subject ? [{ label: 'About', value: <Subject subject={one.subject} /> }] : []),
          { label: 'Owner', value: <span className="first-letter:uppercase">{owner}</span> },
          { label: 'Opened', value: formatZoned(one.createdAt) },
          ...(one.answerDueAt ? [{ label: 'Answer by', value: formatZoned(one.answerDueAt) }] : []),
          ...(one.complaintDueAt ? [{ label: 'Complaint settled by', value: formatZoned(one.complaintDueAt) }] : []),
          ...(one.closedAt ? [{ label: `Closed by ${one.closedBy === 'member' ? 'the member' : 'staff'}`, value: formatZoned(one.closedAt) }] : []),
        ]}
      />
      <p className="py-3 text-sm">
        <Link className="text-accent-text underline" to={`${adminPaths.cases}?member=${one.memberId}`}>
          All cases of this member
        </Link>
      </p>
    </Card>
  )
}

function Subject({ subject }: { subject: NonNullable<StaffCase['subject']> }) {
  if (subject.kind !== 'transaction') return subjectText(subject)
  return (
    <Link className="text-accent-text underline" to={adminPaths.review(subject.reference)}>
      {subjectText(subject)}
    </Link>
  )
}

/** What can be done beside answering. */
function Acts({ case: one }: { case: StaffCase }) {
  const { id, state, complaintAt } = one
  const me = useMember()
  const own = useOwnCase(id)
  const close = useCloseStaffCase(id)
  const register = useRegisterComplaint(id)
  const isMine = useOwner(one).ownerId === me.id
  return (
    <div className="flex flex-wrap gap-2">
      <Button size="sm" variant="secondary" onClick={() => own({ owner: isMine ? undefined : me })}>
        {isMine ? 'Give back' : 'Take this case'}
      </Button>
      <HandOver case={one} />
      {!complaintAt && (
        <Button size="sm" variant="secondary" busy={register.isPending} onClick={() => register.mutate({})}>
          Register as complaint
        </Button>
      )}
      {state === 'waiting' && (
        <Button size="sm" variant="secondary" busy={close.isPending} onClick={() => close.mutate({})}>
          Close the case
        </Button>
      )}
    </div>
  )
}

/** Hands the case to a colleague who may answer it. */
function HandOver({ case: one }: { case: StaffCase }) {
  const [isOpen, setIsOpen] = useState(false)
  const { ownerId } = useOwner(one)
  const own = useOwnCase(one.id)
  const { data, isFetching, error, refetch } = useColleagues({ enabled: isOpen })
  const others = data?.filter(({ id }) => id !== ownerId)
  const hand = (owner: Colleague) => {
    setIsOpen(false)
    void own({ owner })
  }
  return (
    <>
      <Button size="sm" variant="secondary" onClick={() => setIsOpen(true)}>
        Hand over
      </Button>
      <Dialog open={isOpen} onClose={() => setIsOpen(false)} title={`Hand over case ${one.number}`}>
        {error && !others ? (
          <ErrorPanel error={error} onRetry={() => void refetch()} busy={isFetching} />
        ) : !others ? (
          <Skeletons count={3} className="h-11" label="Loading the colleagues" />
        ) : others.length === 0 ? (
          <p className="text-sm text-ink-soft">No other colleague may answer cases.</p>
        ) : (
          <ul className="space-y-2">
            {others.map((colleague) => (
              <li key={colleague.id}>
                <Button variant="secondary" className="w-full justify-start" onClick={() => hand(colleague)}>
                  {colleague.name ?? `Colleague ${colleague.id.slice(-4)}`}
                </Button>
              </li>
            ))}
          </ul>
        )}
      </Dialog>
    </>
  )
}

function AnswerForm({ id, seen }: { id: string; seen: number }) {
  const [text, setText] = useState('')
  const [tried, setTried] = useState(false)
  const answer = useAnswerCase(id)
  const { code, fields } = toApiError(answer.error)
  const submit = async () => {
    setTried(true)
    if (!text.trim()) return
    await answer.mutateAsync({ text: text.trim(), seen })
    setText('')
    setTried(false)
  }
  const begin = (title: string) => {
    const chosen = firstAnswers.find((one) => one.title === title)
    if (chosen) setText(chosen.text)
  }
  return (
    <Form onSubmit={submit} className="space-y-3">
      {code === 'STALE_REVISION' && (
        <Notice tone="caution" title="The member has written again">
          Read the new message before you send the answer.
        </Notice>
      )}
      {text === '' && (
        <SelectField label="Begin with" optional blank="An empty answer" options={firstAnswers.map(({ title }) => title)} value="" onChange={(event) => begin(event.target.value)} />
      )}
      <TextAreaField
        label="Answer to the member"
        rows={6}
        maxLength={4000}
        value={text}
        onChange={(event) => setText(event.target.value)}
        hint="The member reads it in their account. The email says only that there is an answer."
        error={tried && !text.trim() ? 'Write an answer' : fields['text']}
      />
      <Button type="submit" size="sm" busyLabel="Sending...">
        Send the answer
      </Button>
    </Form>
  )
}
