import { useState } from 'react'
import { Button } from '@/components/button'
import { Card } from '@/components/card'
import { MoneyField, SelectField, TextAreaField, TextField } from '@/components/field'
import { Form } from '@/components/form'
import { toApiError } from '@/lib/api-error'
import type { Plan } from '@/lib/api-types'
import { amountRefusal, parseCents } from '@/lib/amounts'
import { plainDollars, toCents, toDollars } from '@/lib/money'
import { riskInWords } from '@/lib/risk'
import { useProposePlan, type termFields, type Terms } from '@/features/admin/api/plans'

type Fields = Record<(typeof termFields)[number], string> & { active: boolean }

const EMPTY: Fields = {
  title: '', subtitle: '', min: '', max: '', roi: '', duration: '', holdings: '', manager: '', costs: '', costPercent: '0', riskClass: '',
  documentUrl: '', minHoldingDays: '0', exitFeePercent: '0', active: true,
}

const riskClasses = Array.from({ length: 7 }, (_, index) => ({ value: String(index + 1), label: riskInWords(index + 1) }))
const PERCENT = /^[0-9]{1,4}(\.[0-9]{1,2})?$/

const fieldsOf = (plan: Plan): Fields => ({
  title: plan.title,
  subtitle: plan.subtitle,
  min: plainDollars(toCents(plan.min)),
  max: plainDollars(toCents(plan.max)),
  roi: String(plan.roi),
  duration: String(plan.duration),
  holdings: plan.holdings ?? '',
  manager: plan.manager ?? '',
  costs: plan.costs ?? '',
  costPercent: String(plan.costPercent),
  riskClass: String(plan.riskClass ?? ''),
  documentUrl: plan.documentUrl ?? '',
  minHoldingDays: String(plan.minHoldingDays),
  exitFeePercent: String(plan.exitFeePercent),
  active: plan.active,
})

/** What is wrong with the fields, by name. */
function wrongs(fields: Fields): Record<string, string> {
  const found: Record<string, string> = {}
  const [min, max] = [parseCents(fields.min), parseCents(fields.max)]
  if (!fields.title.trim()) found['title'] = 'Title is required'
  if (!min) found['min'] = amountRefusal(fields.min, '100.00') ?? 'Enter an amount like 100.00'
  if (!max) found['max'] = amountRefusal(fields.max, '5000.00') ?? 'Enter an amount like 5000.00'
  else if (min && max < min) found['max'] = 'The maximum must not be below the minimum'
  for (const name of ['roi', 'costPercent', 'exitFeePercent'] as const) {
    if (!PERCENT.test(fields[name].trim())) found[name] = 'Enter a percentage with at most two decimals'
  }
  if (!/^[0-9]{1,4}$/.test(fields.minHoldingDays.trim())) found['minHoldingDays'] = 'Enter whole days'
  else if (!found['exitFeePercent'] && Number(fields.minHoldingDays) > 0 !== Number(fields.exitFeePercent) > 0) {
    found['exitFeePercent'] = 'Enter a minimum holding time and an exit fee, or neither'
  }
  if (fields.documentUrl.trim() && !/^https:\/\/\S+$/.test(fields.documentUrl.trim())) found['documentUrl'] = 'Enter an address that begins with https://'
  if (!/^[1-9][0-9]{0,3}$/.test(fields.duration.trim())) found['duration'] = 'Enter whole days'
  return found
}

const termsOf = (fields: Fields): Terms => ({
  title: fields.title.trim(),
  subtitle: fields.subtitle.trim(),
  min: toDollars(parseCents(fields.min) ?? 0),
  max: toDollars(parseCents(fields.max) ?? 0),
  roi: Number(fields.roi),
  duration: Number(fields.duration),
  // A text of one line.
  holdings: fields.holdings.trim().replace(/\s+/g, ' '),
  manager: fields.manager.trim(),
  costs: fields.costs.trim(),
  costPercent: Number(fields.costPercent),
  riskClass: fields.riskClass ? Number(fields.riskClass) : null,
  documentUrl: fields.documentUrl.trim(),
  minHoldingDays: Number(fields.minHoldingDays),
  exitFeePercent: Number(fields.exitFeePercent),
  active: fields.active,
})

/** The terms of a new plan, or other terms for one that exists; another manager confirms them. */
export function TermsForm({ plan, onProposed }: { plan?: Plan; onProposed?: () => void }) {
  const propose = useProposePlan(plan?.id)
  const [fields, setFields] = useState(plan ? fieldsOf(plan) : EMPTY)
  const [tried, setTried] = useState(false)
  const found = wrongs(fields)
  const isSame = plan !== undefined && JSON.stringify(termsOf(fields)) === JSON.stringify(termsOf(fieldsOf(plan)))
  const refused = toApiError(propose.error).fields
  const bind = (name: Exclude<keyof Fields, 'active'>) => ({
    value: fields[name],
    onChange: (event: { target: { value: string } }) => setFields({ ...fields, [name]: event.target.value }),
    error: (tried ? found[name] : undefined) ?? refused[name],
  })

  const submit = () => {
    setTried(true)
    if (Object.keys(found).length === 0 && !isSame) return propose.mutateAsync(termsOf(fields), { onSuccess: onProposed })
  }
  return (
    <Card className="p-4 sm:p-5">
      <h2 className="text-base font-semibold">{plan ? 'Propose new terms' : 'Terms'}</h2>
      {plan && <p className="mt-0.5 text-sm text-ink-faint">Open investments keep their current terms.</p>}
      <Form aria-label={plan ? 'Propose new terms' : 'Terms'} onSubmit={submit} className="mt-3 space-y-4">
        <TextField label="Title" maxLength={80} {...bind('title')} />
        <TextField label="Subtitle" maxLength={200} {...bind('subtitle')} />
        <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
          <MoneyField label="Minimum" {...bind('min')} />
          <MoneyField label="Maximum" {...bind('max')} />
          <TextField label="Target in percent" inputMode="decimal" className="tabular" hint="Over the whole duration, not guaranteed" {...bind('roi')} />
          <TextField label="Duration in days" inputMode="numeric" className="tabular" {...bind('duration')} />
        </div>
        <Disclosed bind={bind} />
        <label className="flex min-h-11 items-center gap-3 text-sm font-medium">
          <input
            type="checkbox"
            checked={fields.active}
            onChange={(event) => setFields({ ...fields, active: event.target.checked })}
            className="size-4.5 accent-(--accent)"
          />
          Offered to members
        </label>
        {tried && isSame && (
          <p role="alert" className="text-sm text-negative">
            These terms are already in force.
          </p>
        )}
        <Button type="submit" busyLabel="Proposing...">
          Propose
        </Button>
      </Form>
    </Card>
  )
}

type Bound = { value: string; onChange: (event: { target: { value: string } }) => void; error?: string }

/** What members read on the page of the plan, and what leaving it early costs [D-T3]. */
function Disclosed({ bind }: { bind: (name: Exclude<keyof Fields, 'active'>) => Bound }) {
  return (
    <fieldset className="space-y-4">
      <legend className="mb-3 text-sm font-semibold">What members read about it</legend>
      <SelectField label="Risk class" optional options={riskClasses} blank="Not stated" {...bind('riskClass')} />
      <TextAreaField label="Holdings" optional rows={3} maxLength={1000} {...bind('holdings')} />
      <TextField label="Manager" optional maxLength={120} {...bind('manager')} />
      <TextField label="Costs" optional maxLength={500} {...bind('costs')} />
      <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
        <TextField label="Costs in percent a year" inputMode="decimal" className="tabular" {...bind('costPercent')} />
        <TextField label="Document" optional inputMode="url" placeholder="https://" maxLength={500} {...bind('documentUrl')} />
        <TextField
          label="Minimum holding time in days"
          inputMode="numeric"
          className="tabular"
          hint="0 for no exit fee"
          {...bind('minHoldingDays')}
        />
        <TextField label="Exit fee in percent" inputMode="decimal" className="tabular" hint="Stays in the plan" {...bind('exitFeePercent')} />
      </div>
    </fieldset>
  )
}
