import { CircleCheck, Info, TriangleAlert, type LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { AnnouncementText } from '@/components/announcement-text'
import { Card } from '@/components/card'
import { PageTitle } from '@/components/page'
import { Skeletons } from '@/components/skeleton'
import { ErrorPanel } from '@/components/states'
import { SupportLink } from '@/components/support-link'
import { useStatus } from '@/features/status/api/get-status'
import type { Status } from '@/lib/api-types'
import { formatZoned, hoursHere } from '@/lib/dates'
import { PublicPage } from '../public-page'

/** What works now, for everybody [D-M7]. */
export function StatusPage() {
  return (
    <PublicPage>
      <div className="mx-auto w-full max-w-3xl px-5 pt-12 pb-20 sm:px-8 lg:pt-16">
        <PageTitle title="Status" className="text-3xl font-semibold sm:text-4xl" />
        <p className="mt-4 text-lg text-pretty text-ink-soft">What works at this moment. The page refreshes by itself.</p>
        <Card className="mt-8 overflow-hidden">
          <Now />
        </Card>
        <Hours />
      </div>
    </PublicPage>
  )
}

function Now() {
  const { data, isPending, isFetching, error, refetch } = useStatus()
  if (isPending) {
    return (
      <div className="space-y-2 p-5 sm:p-6">
        <Skeletons count={4} className="h-12" label="Loading the status" />
      </div>
    )
  }
  if (!data) return <ErrorPanel error={error} onRetry={() => void refetch()} busy={isFetching} />
  return (
    <ul className="divide-y divide-line">
      {data.announcements?.map((one) => (
        <li key={one.id} className="flex items-start gap-4 bg-accent-soft px-5 py-4 sm:px-6">
          <Info aria-hidden className="mt-0.5 size-5 shrink-0 text-accent-text" />
          <div className="min-w-0 flex-1">
            <AnnouncementText one={one} />
          </div>
        </li>
      ))}
      <Withdrawals state={data.withdrawals} />
      <Chains chains={data.chains} />
    </ul>
  )
}

type Condition = 'works' | 'disturbed' | 'unknown'

const looks: Record<Condition, { icon: LucideIcon; tone: string }> = {
  works: { icon: CircleCheck, tone: 'text-positive' },
  disturbed: { icon: TriangleAlert, tone: 'text-caution' },
  unknown: { icon: Info, tone: 'text-ink-faint' },
}

function Line({ name, condition, state, children }: { name: string; condition: Condition; state: string; children?: ReactNode }) {
  const { icon: Icon, tone } = looks[condition]
  return (
    <li className="flex items-start gap-4 px-5 py-4 sm:px-6">
      <Icon aria-hidden className={`mt-0.5 size-5 shrink-0 ${tone}`} />
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap justify-between gap-x-4">
          <span className="font-medium">{name}</span>
          <span className="text-ink-soft">{state}</span>
        </p>
        {children && <p className="mt-0.5 text-sm text-ink-soft">{children}</p>}
      </div>
    </li>
  )
}

function Withdrawals({ state }: { state: Status['withdrawals'] }) {
  if (!state) return <Line name="Withdrawals" condition="unknown" state="Unknown" />
  if (state.open) return <Line name="Withdrawals" condition="works" state="Open" />
  return (
    <Line name="Withdrawals" condition="disturbed" state="Paused">
      {[state.reason, state.since && `Since ${formatZoned(state.since)}.`].filter(Boolean).join(' ')}
    </Line>
  )
}

const chainNames: Record<string, string> = { bitcoin: 'Bitcoin', ethereum: 'Ethereum', tron: 'Tron' }

function Chains({ chains }: { chains: Status['chains'] }) {
  if (!chains) return <Line name="Payments on chains" condition="unknown" state="Unknown" />
  return chains.map(({ chain, fresh, observedAt }) => {
    const name = `Payments on ${chainNames[chain] ?? chain}`
    if (fresh) return <Line key={chain} name={name} condition="works" state="Seen within a minute" />
    return (
      <Line key={chain} name={name} condition="disturbed" state="Delayed">
        {observedAt ? `We last looked at the chain on ${formatZoned(observedAt)}. A payment is seen as soon as we can again.` : 'We cannot look at the chain. A payment is seen as soon as we can.'}
      </Line>
    )
  })
}

function Hours() {
  const here = hoursHere(9, 18)
  return (
    <section aria-labelledby="hours-heading" className="mt-10">
      <h2 id="hours-heading" className="text-xl font-semibold">
        Business hours
      </h2>
      <p className="mt-3 leading-7 text-ink-soft">
        <span>9 AM - 6 PM UTC</span>
        {here && <span>{` (${here} in your time zone)`}</span>}
        <span>. If something does not work, write to </span>
        <SupportLink className="font-semibold text-accent-text underline" />
        <span>.</span>
      </p>
    </section>
  )
}
