import { SearchX } from 'lucide-react'
import { Suspense, lazy, useState } from 'react'
import { Link } from 'react-router'
import { Badge } from '@/components/badge'
import { Button, ButtonLink } from '@/components/button'
import { Card } from '@/components/card'
import { DetailList } from '@/components/detail-list'
import { TextAreaField } from '@/components/field'
import { Form } from '@/components/form'
import { Skeleton, Skeletons } from '@/components/skeleton'
import { EmptyState, ErrorPanel } from '@/components/states'
import { toApiError } from '@/lib/api-error'
import type { Case } from '@/lib/api-types'
import { formatZoned } from '@/lib/dates'
import { loadChunk } from '@/lib/load-chunk'
import { newCase } from '@/lib/new-case'
import { paths } from '@/lib/paths'
import { useCase, useCloseCase, useWriteInCase } from '../api/cases'
import { sentWith } from '../sent-with'
import { states, subjectText, topics } from '@/lib/case-words'
import { CaseMessages } from '@/components/case-messages'

// Few messages have one.
const FileField = lazy(async () => ({ default: (await loadChunk(() => import('./file-field'))).FileField }))

/** A case of the member: where it stands, what was written, and the way to write more [D-M8]. */
export function CaseThread({ id }: { id: string }) {
  const { data, isPending, isFetching, error, refetch } = useCase(id)
  if (isPending) return <Skeletons count={3} className="h-28" label="Loading the case" />
  if (!data) {
    return (
      <Card>
        {toApiError(error).status === 404 ? (
          <EmptyState icon={SearchX} title="Case not found" action={<ButtonLink to={paths.cases} variant="secondary">All cases</ButtonLink>} />
        ) : (
          <ErrorPanel error={error} onRetry={() => void refetch()} busy={isFetching} />
        )}
      </Card>
    )
  }
  return (
    <div className="space-y-6">
      <Facts case={data.case} />
      <CaseMessages messages={data.messages} own="member" nameOf={({ author }) => (author === 'member' ? 'you' : 'our team')} />
      {data.case.state === 'closed' ? (
        <p className="text-sm text-ink-soft">
          {'This case is closed. '}
          <Link className="font-medium text-accent-text underline" to={newCase(data.case.topic, data.case.subject)}>
            Open another one
          </Link>
        </p>
      ) : (
        <Reply id={id} />
      )}
    </div>
  )
}

function Facts({ case: { number, state, subject, topic, answerDueAt, complaintDueAt, createdAt, closedAt } }: { case: Case }) {
  const { label, tone } = states[state]
  return (
    <Card className="px-5 py-2 sm:px-6">
      <DetailList
        items={[
          { label: 'State', value: <Badge tone={tone} dot>{label}</Badge> },
          { label: 'Case', value: number },
          { label: 'Topic', value: topics[topic] },
          ...(subject ? [{ label: 'About', value: <Subject subject={subject} /> }] : []),
          { label: 'Opened', value: formatZoned(createdAt) },
          ...(answerDueAt ? [{ label: 'Answer by', value: formatZoned(answerDueAt) }] : []),
          ...(complaintDueAt ? [{ label: 'Complaint settled by', value: formatZoned(complaintDueAt) }] : []),
          ...(closedAt ? [{ label: 'Closed', value: formatZoned(closedAt) }] : []),
        ]}
      />
    </Card>
  )
}

function Subject({ subject }: { subject: NonNullable<Case['subject']> }) {
  if (subject.kind !== 'transaction') return subjectText(subject)
  return (
    <Link className="text-accent-text underline" to={paths.transaction(subject.reference)}>
      {subjectText(subject)}
    </Link>
  )
}

function Reply({ id }: { id: string }) {
  const [text, setText] = useState('')
  const [file, setFile] = useState<File | null>(null)
  const [isAttaching, setAttaching] = useState(false)
  const [tried, setTried] = useState(false)
  const write = useWriteInCase(id)
  const close = useCloseCase(id)
  const missing = tried && !text.trim() ? 'Write a message' : undefined
  const submit = async () => {
    setTried(true)
    if (!text.trim()) return
    await write.mutateAsync({ text: text.trim(), ...(await sentWith(file)) })
    setText('')
    setFile(null)
    setAttaching(false)
    setTried(false)
  }
  return (
    <Form onSubmit={submit} className="space-y-3">
      <TextAreaField
        label="Your message"
        rows={4}
        maxLength={4000}
        value={text}
        onChange={(event) => setText(event.target.value)}
        error={missing ?? toApiError(write.error).fields['text']}
      />
      {isAttaching && (
        <Suspense fallback={<Skeleton className="h-38" />}>
          <FileField file={file} onPick={setFile} error={toApiError(write.error).fields['file']} />
        </Suspense>
      )}
      <div className="flex flex-wrap gap-3">
        {!isAttaching && (
          <Button type="button" variant="secondary" onClick={() => setAttaching(true)}>
            Add a picture or PDF
          </Button>
        )}
        <Button type="submit" busyLabel="Sending...">
          Send message
        </Button>
        <Button type="button" variant="ghost" busy={close.isPending} onClick={() => close.mutate({})}>
          Close this case
        </Button>
      </div>
    </Form>
  )
}
