import { useForm, useWatch } from 'react-hook-form'
import { Button } from '@/components/button'
import { TextField } from '@/components/field'
import { Form } from '@/components/form'
import { Segmented } from '@/components/segmented'
import { isoDay } from '@/lib/dates'
import { showFieldErrors } from '@/lib/forms'
import { StatementList } from './statement-list'
import { statementFieldNames, useDownloadStatement, type StatementPeriod } from '../api/download-statement'

const formats = [
  { value: 'pdf', label: 'PDF' },
  { value: 'csv', label: 'CSV' },
] as const

/** Which period, and as what. */
export function StatementForm({ onDone }: { onDone: () => void }) {
  const download = useDownloadStatement()
  const form = useForm<StatementPeriod>({ defaultValues: thisMonth() })
  const { errors } = form.formState
  const format = useWatch({ control: form.control, name: 'format' })
  const submit = form.handleSubmit((period) =>
    download.mutateAsync(period).then(onDone, (error: unknown) => showFieldErrors(error, form.setError, statementFieldNames)),
  )
  return (
    <Form onSubmit={submit} className="space-y-5">
      <StatementList />
      <p>Or any period of at most a year: all movements of your balance, with opening and closing balance. Dates are in UTC.</p>
      <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
        <TextField label="From" type="date" error={errors.from?.message} {...form.register('from', { required: 'Choose a date' })} />
        <TextField
          label="To"
          type="date"
          error={errors.to?.message}
          {...form.register('to', {
            required: 'Choose a date',
            validate: (to, { from }) => to >= from || 'Choose a date on or after the start date',
          })}
        />
      </div>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <Segmented legend="Format" options={formats} value={format} onChange={(chosen) => form.setValue('format', chosen)} />
        <Button type="submit" busyLabel="Preparing...">
          Download
        </Button>
      </div>
    </Form>
  )
}

/** From the first day of the month to today. */
function thisMonth(): StatementPeriod {
  const to = isoDay(new Date())
  return { from: `${to.slice(0, 8)}01`, to, format: 'pdf' }
}
