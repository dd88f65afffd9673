import { CircleCheck } from 'lucide-react'
import { useState } from 'react'
import { Button, ButtonLink } from '@/components/button'
import { Card, CardHeader } from '@/components/card'
import { Notice } from '@/components/notice'
import { ErrorPanel } from '@/components/states'
import { brand } from '@/content/brand'
import type { Solvency, User } from '@/lib/api-types'
import { formatZoned } from '@/lib/dates'
import { formatCents } from '@/lib/money'
import { paths } from '@/lib/paths'
import { useVerdict, type Verdict } from '../api/get-proof'
import { lastCheck } from '../last-check'

/** Whether the member is counted, computed in this browser when they ask for it. */
export function OwnVerdict({ user, published }: { user: User | null; published: Solvency }) {
  return (
    <Card>
      <CardHeader title="Is your balance included?" description="Computed by your browser, not by us." />
      <div className="px-5 pt-4 pb-5 sm:px-6">
        {user ? (
          <Check userId={user.id} published={published} />
        ) : (
          <ButtonLink to={paths.login} variant="secondary">
            Log in to verify
          </ButtonLink>
        )}
      </div>
    </Card>
  )
}

function Check({ userId, published }: { userId: string; published: Solvency }) {
  const [asked, setAsked] = useState(false)
  const [earlier] = useState(() => lastCheck(userId))
  const { data, error, refetch, isFetching } = useVerdict(userId, { at: published.at, ...published.owed }, asked)
  if (error) return <ErrorPanel title="Your proof could not be loaded" error={error} onRetry={() => void refetch()} busy={isFetching} />
  return (
    <div className="space-y-4">
      <p className="text-sm text-ink-soft">
        Your available, held, invested and bonus money and the gains of your open investments are split into a few random parts. Each
        part has to lead to the published root.
      </p>
      <div aria-live="polite">
        {data ? (
          <Answer verdict={data} />
        ) : (
          earlier && (
            <p className="text-sm text-ink-faint">
              You checked on {formatZoned(earlier.at)}: your balance {earlier.isCounted ? 'was included' : 'was not included'}.
            </p>
          )
        )}
      </div>
      <Button
        variant={data ? 'secondary' : 'primary'}
        busy={isFetching}
        busyLabel="Verifying..."
        onClick={() => (asked ? refetch() : setAsked(true))}
      >
        {data ? 'Verify again' : 'Verify my balance'}
      </Button>
    </div>
  )
}

function Answer({ verdict: { cents, leaves, isCounted } }: { verdict: Verdict }) {
  if (!isCounted) {
    return (
      <Notice tone="caution" title="Your proof does not lead to the published root">
        <p className="mt-1">
          Reload the page and verify again: a new total may have been published in the meantime. If the result stays the same, write to {brand.email}.
        </p>
      </Notice>
    )
  }
  if (leaves === 0) return <p className="text-sm text-ink-soft">You had no balance when this total was computed.</p>
  return (
    <p className="flex items-start gap-3 rounded-lg bg-positive-soft p-4 text-sm text-ink">
      <CircleCheck aria-hidden className="mt-0.5 size-4.5 shrink-0 text-positive" />
      <span>
        <strong className="font-semibold">Your balance of {formatCents(cents)} is included.</strong> All {leaves} parts lead to the published
        root and total.
      </span>
    </p>
  )
}
