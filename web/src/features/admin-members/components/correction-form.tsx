import { useState } from 'react'
import { Button } from '@/components/button'
import { Card } from '@/components/card'
import { MoneyField, TextField } from '@/components/field'
import { Form } from '@/components/form'
import { Segmented } from '@/components/segmented'
import { toApiError } from '@/lib/api-error'
import { amountRefusal, parseCents } from '@/lib/amounts'
import type { User } from '@/lib/api-types'
import { formatMoney, toCents, toDollars } from '@/lib/money'
import { useProposeCorrection, type Correction } from '@/features/admin/api/members'

type Choice = 'bonus' | 'release' | 'credit' | 'debit'

const choices: readonly { value: Choice; label: string }[] = [
  { value: 'bonus', label: 'Bonus' },
  { value: 'release', label: 'Release' },
  { value: 'credit', label: 'Add' },
  { value: 'debit', label: 'Deduct' },
]

const explanations: Record<Choice, string> = {
  bonus: 'Adds to the bonus, which the member sees but cannot spend.',
  release: 'Moves bonus into the available balance.',
  credit: 'Adds to the available balance as an adjustment.',
  debit: 'Deducts from the available balance as an adjustment, for example to reverse a wrong approval.',
}

const correctionOf = (choice: Choice): Pick<Correction, 'kind' | 'type'> =>
  choice === 'credit' || choice === 'debit' ? { kind: 'adjustment', type: choice } : { kind: choice }

/** Proposes a change of balances; another treasurer confirms it [D-R2] [D-L1]. */
export function CorrectionForm({ memberId, wallet }: { memberId: string; wallet?: User['wallet'] }) {
  const propose = useProposeCorrection(memberId)
  const [choice, setChoice] = useState<Choice>('bonus')
  const [amount, setAmount] = useState('')
  const [note, setNote] = useState('')
  const [tried, setTried] = useState(false)
  const cents = parseCents(amount)
  const { fields } = toApiError(propose.error)
  const most = choice === 'release' ? wallet?.bonus : choice === 'debit' ? wallet?.balance : undefined
  const amountError = !cents
    ? (amountRefusal(amount, '25.00') ?? 'Enter an amount like 25.00')
    : most !== undefined && cents > toCents(most)
      ? `Insufficient balance: ${formatMoney(most)} can be ${choice === 'release' ? 'released' : 'deducted'}`
      : undefined

  const submit = () => {
    setTried(true)
    if (!cents || amountError || !note.trim()) return
    return propose.mutateAsync(
      { ...correctionOf(choice), amount: toDollars(cents), note: note.trim() },
      {
        onSuccess: () => {
          setAmount('')
          setNote('')
          setTried(false)
        },
      },
    )
  }
  return (
    <Card className="p-4">
      <h2 className="text-base font-semibold">Propose a balance change</h2>
      <Form aria-label="Propose a balance change" onSubmit={submit} className="mt-3 space-y-4">
        <div>
          <Segmented legend="Change" options={choices} value={choice} onChange={setChoice} />
          <p className="mt-1.5 text-sm text-ink-faint">{explanations[choice]}</p>
        </div>
        <MoneyField
          label="Amount"
          value={amount}
          onChange={(event) => setAmount(event.target.value)}
          error={(tried && amountError) || fields['amount']}
        />
        <TextField
          label="Reason"
          maxLength={500}
          value={note}
          onChange={(event) => setNote(event.target.value)}
          error={tried && !note.trim() ? 'Enter a reason' : fields['note']}
        />
        <Button type="submit" busyLabel="Proposing...">
          Propose
        </Button>
        <p className="text-sm text-ink-faint">Takes effect once another treasurer confirms it.</p>
      </Form>
    </Card>
  )
}
