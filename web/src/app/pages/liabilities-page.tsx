import { Landmark } from 'lucide-react'
import { Card } from '@/components/card'
import { PageTitle } from '@/components/page'
import { Skeleton } from '@/components/skeleton'
import { EmptyState, ErrorPanel } from '@/components/states'
import { useLiabilities } from '@/features/liabilities/api/get-liabilities'
import { OwnVerdict } from '@/features/liabilities/components/own-verdict'
import { PublishedLiabilities } from '@/features/liabilities/components/published-liabilities'
import { ApiError } from '@/lib/api-error'
import { useUser } from '@/lib/session'
import { PublicPage } from '../public-page'

/** The proof of liabilities: what all members are owed, and whether oneself is counted [D-B6]. */
export function LiabilitiesPage() {
  return (
    <PublicPage>
      <div className="mx-auto w-full max-w-6xl px-5 pt-12 pb-20 sm:px-8 lg:pt-16">
        <header className="max-w-2xl">
          <PageTitle title="Proof of liabilities" className="text-3xl font-semibold sm:text-4xl" />
          <p className="mt-4 text-lg text-pretty text-ink-soft">
            Every night we publish the total we owe to members and a fingerprint of every part of it. You can verify
            that your balance is included. The published data reveals neither names nor individual balances.
          </p>
        </header>
        <div className="mt-10 grid items-start gap-4 lg:grid-cols-2">
          <Published />
        </div>
        <HowItWorks />
      </div>
    </PublicPage>
  )
}

function Published() {
  const user = useUser()
  const { data, error, refetch, isFetching } = useLiabilities()
  if (data) {
    return (
      <>
        <PublishedLiabilities published={data} />
        <OwnVerdict user={user} published={data} />
      </>
    )
  }
  return (
    <Card className="lg:col-span-2">
      {!error ? (
        <div aria-busy className="space-y-4 p-6">
          <Skeleton className="h-5 w-40" />
          <Skeleton className="h-9 w-56" />
          <Skeleton className="h-24 w-full" />
        </div>
      ) : error instanceof ApiError && error.status === 404 ? (
        <EmptyState icon={Landmark} title="Nothing published yet" description="The first total will be published tonight." />
      ) : (
        <ErrorPanel error={error} onRetry={() => void refetch()} busy={isFetching} />
      )}
    </Card>
  )
}

function HowItWorks() {
  return (
    <section aria-labelledby="how-heading" className="mt-12 max-w-2xl">
      <h2 id="how-heading" className="text-xl font-semibold">
        How it works
      </h2>
      <div className="mt-3 space-y-4 leading-7 text-ink-soft">
        <p>
          Each member’s money is split into random parts, the leaves. A leaf is the SHA-256 of a zero byte, a random
          32-byte salt, the member’s id and the amount in cents as a big-endian 64-bit number. Two neighbouring nodes
          are combined into the SHA-256 of a one byte, the left digest and sum, and the right digest and sum, until a
          single node remains: the root. No sum may be negative, so nothing can be
          subtracted.
        </p>
        <p>
          Leaving out a member, or understating a balance, results in a different root. Compare the root shown here
          with the one that other members see.
        </p>
      </div>
    </section>
  )
}
