import { useState } from 'react'
import { Button } from '@/components/button'
import { Card } from '@/components/card'
import { TextField } from '@/components/field'
import { Form } from '@/components/form'
import { toApiError } from '@/lib/api-error'
import type { Plan } from '@/lib/api-types'
import { useProposeValue } from '@/features/admin/api/plans'
import { changeInPercent } from '../values'

const VALUE = /^(0|[1-9][0-9]{0,5})(\.[0-9]{1,6})?$/

/** Far steps happen, but mostly by a slip of the finger. */
const FAR_PERCENT = 10

/** Proposes the next value of a plan with its source; another manager publishes it [D-I1] [D-R4]. */
export function ValueForm({ plan }: { plan: Plan }) {
  const propose = useProposeValue(plan.id)
  const [value, setValue] = useState('')
  const [at, setAt] = useState('')
  const [source, setSource] = useState('')
  const [tried, setTried] = useState(false)
  const { fields } = toApiError(propose.error)
  const isValue = VALUE.test(value.trim()) && Number(value) > 0
  const change = isValue && plan.value ? changeInPercent(plan.value, Number(value)) : undefined

  const submit = () => {
    setTried(true)
    if (!isValue || !source.trim()) return
    const moment = at ? { at: new Date(at).toISOString() } : {}
    return propose.mutateAsync(
      { value: Number(value.trim()), source: source.trim(), ...moment },
      {
        onSuccess: () => {
          setValue('')
          setAt('')
          setSource('')
          setTried(false)
        },
      },
    )
  }
  return (
    <Card className="p-4 sm:p-5">
      <h2 className="text-base font-semibold">Propose a value</h2>
      <Form aria-label="Propose a value" onSubmit={submit} className="mt-3 space-y-4">
        <TextField
          label="Value"
          inputMode="decimal"
          autoComplete="off"
          className="tabular font-medium"
          value={value}
          onChange={(event) => setValue(event.target.value)}
          error={tried && !isValue ? 'Enter a number above zero with at most six decimals' : fields['value']}
          hint={
            change === undefined
              ? `Current value: ${plan.value ?? 'none'}`
              : `${change > 0 ? '+' : ''}${change.toFixed(2)}% from ${plan.value}${Math.abs(change) > FAR_PERCENT ? '. This is a large change: please check it.' : ''}`
          }
        />
        <TextField
          label="Source"
          maxLength={200}
          placeholder="Custodian report of 31 January"
          value={source}
          onChange={(event) => setSource(event.target.value)}
          error={tried && !source.trim() ? 'Enter the source. Members see it.' : fields['source']}
        />
        <TextField
          label="In force from"
          optional
          type="datetime-local"
          value={at}
          onChange={(event) => setAt(event.target.value)}
          error={fields['at']}
          hint="Leave empty for the time of confirmation"
        />
        <Button type="submit" busyLabel="Proposing...">
          Propose
        </Button>
        <p className="text-sm text-ink-faint">Published once another manager confirms it.</p>
      </Form>
    </Card>
  )
}
