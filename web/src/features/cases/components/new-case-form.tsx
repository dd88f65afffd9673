import { Suspense, lazy, useState } from 'react'
import { useForm } from 'react-hook-form'
import { useNavigate, useSearchParams } from 'react-router'
import { Button, ButtonLink } from '@/components/button'
import { Card } from '@/components/card'
import { SelectField, TextAreaField } from '@/components/field'
import { Form } from '@/components/form'
import { Skeleton } from '@/components/skeleton'
import { toApiError } from '@/lib/api-error'
import type { CaseSubject, CaseTopic } from '@/lib/api-types'
import { showFieldErrors } from '@/lib/forms'
import { loadChunk } from '@/lib/load-chunk'
import { paths } from '@/lib/paths'
import { useOpenCase } from '../api/cases'
import { sentWith } from '../sent-with'
import { isKind, isTopic, subjectText, topics } from '@/lib/case-words'

// Few messages have one.
const FileField = lazy(async () => ({ default: (await loadChunk(() => import('./file-field'))).FileField }))

type Values = { topic: string; text: string; complaint: string }

const options = Object.entries(topics).map(([value, label]) => ({ value, label }))

/** What the address says that the case is about. */
function useSubject(): CaseSubject | undefined {
  const [params] = useSearchParams()
  const [kind, reference] = [params.get('kind'), params.get('reference') ?? '']
  if (!isKind(kind) || (kind !== 'freeze' && !reference)) return undefined
  return { kind, reference }
}

/** Opens a case, about what led here [D-M8]. */
export function NewCaseForm() {
  const navigate = useNavigate()
  const [params] = useSearchParams()
  const topic = params.get('topic')
  const subject = useSubject()
  const form = useForm<Values>({ defaultValues: { topic: isTopic(topic) ? topic : '', text: '', complaint: '' } })
  const [file, setFile] = useState<File | null>(null)
  const { errors } = form.formState
  const open = useOpenCase()
  const submit = form.handleSubmit(async ({ topic, text, complaint }) => {
    try {
      const about = subject ? { subjectKind: subject.kind, reference: subject.reference } : {}
      const opened = await open.mutateAsync({ topic: topic as CaseTopic, ...about, complaint: complaint === 'yes', text: text.trim(), ...(await sentWith(file)) })
      await navigate(`${paths.cases}/${opened.case.id}`, { replace: true })
    } catch (error) {
      showFieldErrors(error, form.setError, ['topic', 'text'])
    }
  })
  return (
    <Card className="p-5 sm:p-7">
      <Form onSubmit={submit} className="space-y-5">
        {subject && <p className="text-sm wrap-anywhere text-ink-soft">{`About: ${subjectText(subject)}`}</p>}
        <SelectField label="Topic" blank="Choose a topic" options={options} error={errors.topic?.message} {...form.register('topic', { required: 'Choose what this is about' })} />
        <TextAreaField
          label="What happened?"
          rows={6}
          maxLength={4000}
          hint="Never write a password, a code or a recovery phrase: we do not need them."
          error={errors.text?.message}
          {...form.register('text', { validate: (typed) => typed.trim() !== '' || 'Write what happened' })}
        />
        <Suspense fallback={<Skeleton className="h-38" />}>
          <FileField file={file} onPick={setFile} error={toApiError(open.error).fields['file']} />
        </Suspense>
        <SelectField
          label="Is this a complaint?"
          blank="No"
          options={[{ value: 'yes', label: 'Yes, register it' }]}
          hint="A complaint is entered in our register and settled within ten working days."
          {...form.register('complaint')}
        />
        <div className="flex flex-wrap gap-3 pt-1">
          <Button type="submit" busyLabel="Sending...">
            Open the case
          </Button>
          <ButtonLink to={paths.cases} variant="ghost">
            Cancel
          </ButtonLink>
        </div>
      </Form>
    </Card>
  )
}
