import { Landmark } from 'lucide-react'
import { Card } from '@/components/card'
import { PageTitle } from '@/components/page'
import { Skeleton } from '@/components/skeleton'
import { EmptyState, ErrorPanel } from '@/components/states'
import { useSolvency } from '@/features/solvency/api/get-solvency'
import { ForExperts, Nights, OwedAndHeld, WhatIsHeld } from '@/features/solvency/components/owed-and-held'
import { OwnVerdict } from '@/features/solvency/components/own-verdict'
import { ApiError } from '@/lib/api-error'
import { useUser } from '@/lib/session'
import { PublicPage } from '../public-page'

/** What all members are owed beside what is held for them, every night, and whether oneself is counted [D-B6] [D-T5]. */
export function SolvencyPage() {
  return (
    <PublicPage>
      <div className="mx-auto w-full max-w-6xl px-5 pt-12 pb-20 sm:px-8 lg:pt-16">
        <header className="max-w-2xl">
          <PageTitle title="What we owe and what we hold" className="text-3xl font-semibold sm:text-4xl" />
          <p className="mt-4 text-lg text-pretty text-ink-soft">
            Every night we count what we owe to all members, with the gains they have not taken yet, and what is held for it. You can
            verify that your balance is included. Neither names nor single balances are published.
          </p>
        </header>
        <Published />
      </div>
    </PublicPage>
  )
}

function Published() {
  const user = useUser()
  const { data, error, refetch, isFetching } = useSolvency()
  if (data) {
    return (
      <>
        <div className="mt-10 grid grid-cols-1 items-start gap-4 lg:grid-cols-2">
          <div className="contents lg:grid lg:grid-cols-1 lg:gap-4">
            <OwedAndHeld found={data} />
            <div className="order-2">{data.held && <WhatIsHeld held={data.held} countedAt={data.at} />}</div>
          </div>
          <div className="contents lg:grid lg:grid-cols-1 lg:gap-4">
            <div className="order-1">
              <OwnVerdict user={user} published={data} />
            </div>
            <div className="order-3">
              <Nights nights={data.nights} />
            </div>
          </div>
        </div>
        <ForExperts owed={data.owed} />
      </>
    )
  }
  return (
    <Card className="mt-10">
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
