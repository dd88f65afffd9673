import { useState } from 'react'
import { Button } from '@/components/button'
import { Dialog } from '@/components/dialog'
import { TextField } from '@/components/field'
import { Form } from '@/components/form'
import { FormActions } from '@/components/form-actions'
import { toApiError } from '@/lib/api-error'
import { useProposeRate } from '@/features/admin/api/rates'
import { useMay } from '@/features/admin/permissions'

type Name = 'asset' | 'bid' | 'ask' | 'source' | 'validMinutes'

const empty: Record<Name, string> = { asset: '', bid: '', ask: '', source: '', validMinutes: '60' }

/** For treasurers: the way to a rate where no exchanges are asked, or they do not agree [D-Q2]. */
export function PublishRateButton() {
  const may = useMay()
  const [typing, setTyping] = useState(false)
  if (!may('publishRates')) return null
  return (
    <>
      <Button variant="secondary" onClick={() => setTyping(true)}>
        Publish a rate
      </Button>
      <Dialog open={typing} onClose={() => setTyping(false)} title="Publish a rate">
        <RateForm onDone={() => setTyping(false)} />
      </Dialog>
    </>
  )
}

function RateForm({ onDone }: { onDone: () => void }) {
  const propose = useProposeRate()
  const [fields, setFields] = useState(empty)
  const [tried, setTried] = useState(false)
  const refused = toApiError(propose.error).fields
  const bind = (name: Name) => ({
    value: fields[name],
    onChange: (event: { target: { value: string } }) => setFields({ ...fields, [name]: event.target.value }),
    error: tried && !fields[name].trim() ? 'This is required' : refused[name],
    autoComplete: 'off',
    spellCheck: false,
  })
  const submit = () => {
    setTried(true)
    if (Object.values(fields).some((text) => !text.trim())) return
    const { asset, bid, ask, source, validMinutes } = fields
    return propose.mutateAsync(
      { asset: asset.trim().toUpperCase(), bid: bid.trim(), ask: ask.trim(), source: source.trim(), validMinutes: Number(validMinutes) },
      { onSuccess: onDone },
    )
  }
  return (
    <Form onSubmit={submit} className="mt-3 space-y-4">
      <TextField label="Currency" placeholder="BTC" {...bind('asset')} />
      <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
        <TextField label="Bid in dollars" inputMode="decimal" hint="Deposits are valued at it." {...bind('bid')} />
        <TextField label="Ask in dollars" inputMode="decimal" hint="Payouts are valued at it." {...bind('ask')} />
      </div>
      <TextField label="Source" hint="Where you read the price, and when." {...bind('source')} />
      <TextField label="Minutes it counts" inputMode="numeric" hint="At most 1440, from the confirmation on." {...bind('validMinutes')} />
      <p className="text-sm text-ink-faint">
        Once another treasurer confirms it, quotes are made at this rate, unless several exchanges agree on another.
      </p>
      <FormActions submitLabel="Propose" busyLabel="Proposing..." onCancel={onDone} />
    </Form>
  )
}
