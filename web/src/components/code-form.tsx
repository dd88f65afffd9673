import { useForm } from 'react-hook-form'
import { Button } from './button'
import { CodeField } from './field'
import { Form } from './form'
import { ResendButton } from './resend-button'
import { showFieldErrors } from '@/lib/forms'
import { codeIn } from '@/lib/pasted'

type CodeFormProps = {
  submitLabel: string
  busyLabel: string
  /** Sends the code. An error of the field `code` is shown at the input. */
  onCode: (code: string) => Promise<unknown>
  /** Requests another code. */
  onResend: () => Promise<unknown>
}

/** An input for the emailed six digits, with a button that requests another email. */
export function CodeForm({ submitLabel, busyLabel, onCode, onResend }: CodeFormProps) {
  const form = useForm({ defaultValues: { code: '' } })
  const submit = form.handleSubmit(({ code }) =>
    onCode(code).catch((error: unknown) => showFieldErrors(error, form.setError, ['code'])),
  )
  return (
    <Form onSubmit={submit} className="space-y-4">
      <CodeField
        error={form.formState.errors.code?.message}
        {...form.register('code', {
          setValueAs: codeIn,
          validate: (text) => /^[0-9]{6}$/.test(text) || 'The code has 6 digits',
        })}
      />
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <Button type="submit" busyLabel={busyLabel}>
          {submitLabel}
        </Button>
        <p className="flex flex-wrap items-center gap-x-1 text-sm text-ink-soft">
          <span>No email yet?</span>
          <ResendButton label="Send another code" busyLabel="Sending..." onResend={onResend} />
        </p>
      </div>
    </Form>
  )
}
