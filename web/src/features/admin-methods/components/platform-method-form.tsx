import { useState } from 'react'
import { TextField } from '@/components/field'
import { Form } from '@/components/form'
import { FormActions } from '@/components/form-actions'
import { toApiError } from '@/lib/api-error'
import type { PaymentMethod } from '@/lib/api-types'
import { addressIn } from '@/lib/pasted-payment'
import { useProposeMethod } from '@/features/admin/api/platform-methods'
import { SIGNATURE_HINT, StatementButton } from './statement-button'

type Name = 'currency' | 'network' | 'address' | 'memo' | 'label' | 'signature'

type Current = Pick<PaymentMethod, 'id' | 'currency' | 'network' | 'address' | 'memo' | 'label' | 'version'>

/** A new address for members to pay to. It is typed twice by design: once here, once by the eye of who confirms. */
export function PlatformMethodForm({ current, onDone }: { current?: Current; onDone: () => void }) {
  const propose = useProposeMethod(current?.id)
  const [fields, setFields] = useState<Record<Name, string>>({
    currency: current?.currency ?? '',
    network: current?.network ?? '',
    address: current?.address ?? '',
    memo: current?.memo ?? '',
    label: current?.label ?? '',
    signature: '',
  })
  const [tried, setTried] = useState(false)
  const refused = toApiError(propose.error).fields
  const required: readonly Name[] = ['currency', 'network', 'address']
  const isMissing = (name: Name) => required.includes(name) && !fields[name].trim()
  const bind = (name: Name) => ({
    value: fields[name],
    onChange: (event: { target: { value: string } }) => setFields({ ...fields, [name]: event.target.value }),
    error: tried && isMissing(name) ? 'This is required' : refused[name],
    autoComplete: 'off',
    spellCheck: false,
  })
  const next = {
    currency: fields.currency.trim().toUpperCase(),
    network: fields.network.trim(),
    address: addressIn(fields.address),
    memo: fields.memo.trim(),
  }
  const submit = () => {
    setTried(true)
    if (required.some(isMissing)) return
    const signature = fields.signature.trim()
    return propose.mutateAsync({ ...next, label: fields.label.trim(), ...(signature ? { signature } : {}) }, { onSuccess: onDone })
  }
  return (
    <Form onSubmit={submit} className="mt-3 space-y-4">
      <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
        <TextField label="Currency" placeholder="USDT" {...bind('currency')} />
        <TextField label="Network" placeholder="TRC20" {...bind('network')} />
      </div>
      <TextField label="Address" className="font-mono text-sm" {...bind('address')} />
      <TextField label="Memo" optional {...bind('memo')} />
      <TextField label="Label" optional {...bind('label')} />
      <StatementButton version={{ ...next, version: (current?.version ?? 0) + 1 }} disabled={required.some(isMissing)} />
      <TextField label="Signature" optional className="font-mono text-sm" hint={SIGNATURE_HINT} {...bind('signature')} />
      <p className="text-sm text-ink-faint">Once another treasurer confirms it, it becomes a new version and all staff get an email.</p>
      <FormActions submitLabel="Propose" busyLabel="Proposing..." onCancel={onDone} />
    </Form>
  )
}
