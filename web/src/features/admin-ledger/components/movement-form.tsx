import { useState, type ChangeEventHandler } from 'react'
import { Button } from '@/components/button'
import { Card } from '@/components/card'
import { MoneyField, SelectField, TextAreaField, TextField } from '@/components/field'
import { FileDrop } from '@/components/file-drop'
import { Form } from '@/components/form'
import { useAllPlans } from '@/features/admin/api/plans'
import type { MovementKind } from '@/features/admin/api/types'
import { isStatement, movementKinds } from '@/features/admin/movements'
import { toApiError } from '@/lib/api-error'
import { PROOF, readAsDataUrl } from '@/lib/files'
import { useProposeMovement } from '../api/treasury'

const AMOUNT = /^(0|[1-9][0-9]{0,9})(\.[0-9]{1,2})?$/

const NONE = { planId: '', asset: '', source: '', amount: '', network: '', txid: '', document: '', issuer: '', documentAt: '', note: '' }

const kinds = Object.entries(movementKinds).map(([value, { label }]) => ({ value, label }))
const revenues = [
  { value: 'course_revenue', label: 'Course revenue' },
  { value: 'fee_revenue', label: 'Fee revenue' },
]

/** What is missing or wrong, by field. */
function missingIn(kind: MovementKind | '', values: typeof NONE, file: File | null): Record<string, string | false | undefined> {
  if (!kind) return { kind: 'Choose what moves' }
  const rule = movementKinds[kind]
  return {
    planId: rule.plan && !values.planId && 'Choose the plan',
    asset: rule.asset && !values.asset.trim() && 'Enter a name',
    source: kind === 'revenue_out' && !values.source && 'Choose which revenue',
    amount: (!AMOUNT.test(values.amount.trim()) || (Number(values.amount) === 0 && !isStatement(kind))) && 'Enter an amount above zero, with at most two decimals',
    txid: rule.proof === 'either' && !values.txid.trim() && !values.document.trim() && 'Enter the transaction hash, or name a document below',
    network: values.txid.trim() && !values.network.trim() && 'Enter the network of the payment',
    document: rule.proof === 'document' && !values.document.trim() && 'Name the document',
    issuer: values.document.trim() && !values.issuer.trim() && 'Enter who issued the document',
    documentAt: values.document.trim() && !values.documentAt && 'Enter the date of the document',
    file: values.document.trim() && !file && 'Attach the document',
    note: !values.note.trim() && 'Enter the reason',
  }
}

/** What was typed, without empty fields. */
function typedIn({ amount, documentAt, note, ...texts }: typeof NONE) {
  const given = Object.fromEntries(Object.entries(texts).filter(([, text]) => text.trim()))
  const date = documentAt ? { documentAt: new Date(`${documentAt}T00:00:00Z`).toISOString() } : {}
  return { amount: Number(amount), note: note.trim(), ...given, ...date }
}

type PlanFieldProps = { value: string; onChange: ChangeEventHandler<HTMLSelectElement>; error: string | undefined }

function PlanField(props: PlanFieldProps) {
  const plans = useAllPlans()
  return <SelectField label="Plan" options={(plans.data ?? []).map(({ id, title }) => ({ value: id, label: title }))} {...props} />
}

/** Proposes a movement of the treasury; another treasurer confirms it [D-T1]. */
export function MovementForm() {
  const propose = useProposeMovement()
  const [kind, setKind] = useState<MovementKind | ''>('')
  const [values, setValues] = useState(NONE)
  const [file, setFile] = useState<File | null>(null)
  const [tried, setTried] = useState(false)
  const { fields } = toApiError(propose.error)
  const rule = kind && movementKinds[kind]
  const set = (name: keyof typeof NONE) => (event: { target: { value: string } }) => setValues({ ...values, [name]: event.target.value })

  const missing = missingIn(kind, values, file)
  const error = (name: string) => (tried && missing[name]) || fields[name]

  const submit = async () => {
    setTried(true)
    if (!rule || Object.values(missing).some(Boolean)) return
    const attached = file && rule.proof !== 'none' ? { file: await readAsDataUrl(file) } : {}
    await propose.mutateAsync(
      { kind, ...typedIn(values), ...attached },
      {
        onSuccess: () => {
          setKind('')
          setValues(NONE)
          setFile(null)
          setTried(false)
        },
      },
    )
  }

  return (
    <Card className="p-4 sm:p-5">
      <h2 className="text-base font-semibold">Propose a movement</h2>
      <Form aria-label="Propose a movement" onSubmit={submit} className="mt-3 space-y-4">
        <SelectField
          label="What moves"
          blank="Choose a kind"
          options={kinds}
          value={kind}
          onChange={(event) => setKind(event.target.value as MovementKind | '')}
          error={error('kind')}
          hint={rule ? rule.hint : undefined}
        />
        {rule && (
          <>
            {rule.plan && <PlanField value={values.planId} onChange={set('planId')} error={error('planId')} />}
            {kind === 'revenue_out' && <SelectField label="Revenue" options={revenues} value={values.source} onChange={set('source')} error={error('source')} />}
            {rule.asset && <TextField label={rule.asset} maxLength={100} value={values.asset} onChange={set('asset')} error={error('asset')} />}
            <MoneyField label={isStatement(kind) ? 'Worth' : 'Amount'} value={values.amount} onChange={set('amount')} error={error('amount')} />
            {rule.proof === 'either' && (
              <div className="grid gap-4 sm:grid-cols-2">
                <TextField label="Network" optional value={values.network} onChange={set('network')} error={error('network')} />
                <TextField label="Transaction hash" optional autoComplete="off" spellCheck={false} value={values.txid} onChange={set('txid')} error={error('txid')} />
              </div>
            )}
            {rule.proof !== 'none' && (
              <>
                <div className="grid gap-4 sm:grid-cols-3">
                  <TextField label="Document" optional={rule.proof === 'either'} maxLength={100} value={values.document} onChange={set('document')} error={error('document')} />
                  <TextField label="Issued by" optional={rule.proof === 'either'} maxLength={100} value={values.issuer} onChange={set('issuer')} error={error('issuer')} />
                  <TextField label="Date" optional={rule.proof === 'either'} type="date" value={values.documentAt} onChange={set('documentAt')} error={error('documentAt')} />
                </div>
                <FileDrop
                  label={rule.proof === 'either' ? 'File of the document (optional)' : 'File of the document'}
                  hint="A photo, an image or a PDF. The treasurer who confirms reads it."
                  kind={PROOF}
                  file={file}
                  onPick={setFile}
                  onRemove={() => setFile(null)}
                  error={error('file')}
                />
              </>
            )}
            <TextAreaField label="Reason" maxLength={500} value={values.note} onChange={set('note')} error={error('note')} />
          </>
        )}
        <Button type="submit" busyLabel="Proposing...">
          Propose
        </Button>
        <p className="text-sm text-ink-faint">Takes effect once another treasurer confirms it.</p>
      </Form>
    </Card>
  )
}
