import { useState } from 'react'
import { Button, ButtonLink } from '@/components/button'
import { Card } from '@/components/card'
import { TextField } from '@/components/field'
import { Form } from '@/components/form'
import { Skeletons } from '@/components/skeleton'
import { ErrorPanel } from '@/components/states'
import { useSearchTransactions } from '@/features/transactions/api/search-transactions'
import { TransactionRows } from '@/features/transactions/components/transaction-row'
import { hashIn } from '@/lib/pasted-payment'
import { newCase } from '@/lib/new-case'

type Wanted = { q: string; from: string; to: string }

const nothing: Wanted = { q: '', from: '', to: '' }

/** Looks for a payment of the member by its hash or its day; what is not found becomes a case with the hash [D-M8]. */
export function PaymentFinder() {
  const [hash, setHash] = useState('')
  const [day, setDay] = useState('')
  const [wanted, setWanted] = useState(nothing)
  const [tried, setTried] = useState(false)
  const look = () => {
    setTried(true)
    setWanted({ q: hash.trim(), from: day, to: day })
  }
  const isAsked = Boolean(wanted.q || wanted.from)
  return (
    <section aria-labelledby="payment-heading" className="mt-12">
      <h2 id="payment-heading" className="text-xl font-semibold">
        Where is my payment?
      </h2>
      <p className="mt-2 text-ink-soft">Your wallet shows the transaction hash of what you sent. Without it, give the day.</p>
      <Card className="mt-4 p-5 sm:p-6">
        <Form onSubmit={look} className="space-y-5">
          <TextField
            label="Transaction hash"
            className="font-mono"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            maxLength={128}
            clean={hashIn}
            value={hash}
            error={tried && !isAsked ? 'Enter the hash or the day of the payment' : undefined}
            onChange={(event) => setHash(event.target.value)}
          />
          <TextField label="Day of the payment" optional type="date" value={day} onChange={(event) => setDay(event.target.value)} />
          <Button type="submit">Find the payment</Button>
        </Form>
      </Card>
      {isAsked && <Found wanted={wanted} />}
    </section>
  )
}

function Found({ wanted }: { wanted: Wanted }) {
  const { transactions, isPending, isFetching, error, refetch } = useSearchTransactions(wanted)
  if (isPending) return <Skeletons count={1} className="mt-4 h-24" label="Looking for the payment" />
  if (!transactions) return <ErrorPanel error={error} onRetry={() => void refetch()} busy={isFetching} />
  return (
    <div role="status" className="mt-4 space-y-4">
      {transactions.length > 0 ? (
        <Card className="overflow-hidden">
          <TransactionRows transactions={transactions} />
        </Card>
      ) : (
        <p className="text-ink-soft">
          None of your transactions has this payment. If you paid and asked for no deposit, or gave another hash, we can look for it.
        </p>
      )}
      <ButtonLink to={wanted.q ? newCase('deposit', { kind: 'payment', reference: wanted.q }) : newCase('deposit')} variant="secondary">
        Ask us to look for it
      </ButtonLink>
    </div>
  )
}
