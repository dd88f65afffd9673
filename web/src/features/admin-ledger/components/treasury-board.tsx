import { CircleCheck, Landmark, ShieldAlert } from 'lucide-react'
import { Amount } from '@/components/amount'
import { Badge } from '@/components/badge'
import { Card } from '@/components/card'
import { cx } from '@/components/cx'
import { DetailList } from '@/components/detail-list'
import { EmptyState } from '@/components/states'
import type { Backing, Proposal, Solvency, Treasury } from '@/features/admin/api/types'
import { CardHead } from '@/features/admin/components/card-head'
import { DocumentLink } from '@/features/admin/components/document-link'
import { Loaded } from '@/features/admin/components/loaded'
import { ShownCsvButton } from '@/features/admin/components/shown-csv-button'
import { changesOf, titleOf } from '@/features/admin/proposals'
import { useMay } from '@/features/admin/permissions'
import { formatMoment } from '@/lib/dates'
import { formatMoney } from '@/lib/money'
import { useTreasury } from '../api/treasury'
import { MovementForm } from './movement-form'

/** The operator's money, what stands behind plans, and what is owed beside what is held [D-T1] [D-T3] [D-T4]. */
export function TreasuryBoard() {
  const query = useTreasury()
  const may = useMay()
  return (
    <Loaded query={query} label="Reading the treasury" count={3} skeleton="h-40">
      {(treasury) => (
        <div className="space-y-5">
          <OwedAndHeld solvency={treasury.solvency} />
          <div className="grid grid-cols-1 items-start gap-5 lg:grid-cols-2">
            <House treasury={treasury} />
            {may('correctBalances') && <MovementForm />}
          </div>
          <Plans plans={treasury.plans} />
          <Movements movements={treasury.movements} />
        </div>
      )}
    </Loaded>
  )
}

/** The server's verdict on what members are owed [D-T4]. */
function OwedAndHeld({ solvency: { owed, gains, held, assets, stated, observed, missing } }: { solvency: Solvency }) {
  const isCovered = missing === 0
  const Icon = isCovered ? CircleCheck : ShieldAlert
  return (
    <Card className="overflow-hidden">
      <div role="status" className={cx('flex items-center gap-3 p-4', isCovered ? 'bg-positive-soft text-positive' : 'bg-negative-soft text-negative')}>
        <Icon aria-hidden className="size-6 shrink-0" />
        <p className="font-semibold">
          {isCovered ? 'What members are owed is held' : `${formatMoney(missing)} is missing for what members are owed`}
        </p>
      </div>
      <div className="px-4 sm:px-5">
        <DetailList
          items={[
            { label: 'Owed to members', value: <Amount value={owed} /> },
            { label: 'Of that, gains of open trades', value: <Amount value={gains} /> },
            { label: observed ? 'Held, as chains and documents show' : 'Held, according to the ledger', value: <Amount value={held} /> },
            { label: 'Of that, assets of plans', value: <Amount value={assets} /> },
            ...(observed ? [{ label: 'Of that, stated by documents', value: <Amount value={stated} /> }] : []),
          ]}
        />
      </div>
    </Card>
  )
}

function House({ treasury }: { treasury: Treasury }) {
  return (
    <Card className="p-4 sm:p-5">
      <h2 className="text-base font-semibold">The operator</h2>
      <DetailList
        items={[
          { label: 'Capital', value: <Amount value={treasury.capital} /> },
          { label: 'Course revenue', value: <Amount value={treasury.courseRevenue} /> },
          { label: 'Fee revenue', value: <Amount value={treasury.feeRevenue} /> },
          { label: 'Network fees', value: <Amount value={treasury.networkFees} /> },
          { label: 'Bonuses', value: <Amount value={treasury.bonusExpense} /> },
          { label: 'Corrections', value: <Amount value={treasury.adjustments} /> },
        ]}
      />
    </Card>
  )
}

function Plans({ plans }: { plans: Backing[] }) {
  if (plans.length === 0) return null
  return (
    <section aria-labelledby="plans-backing">
      <h2 id="plans-backing" className="mb-3 text-base font-semibold">
        What stands behind plans
      </h2>
      <div className="grid grid-cols-1 gap-5 lg:grid-cols-2">
        {plans.map((plan) => (
          <Plan key={plan.planId} plan={plan} />
        ))}
      </div>
    </section>
  )
}

function Plan({ plan }: { plan: Backing }) {
  return (
    <Card className="p-4 sm:p-5">
      <div className="flex items-baseline justify-between gap-3">
        <h3 className="font-semibold">{plan.title || 'Plan'}</h3>
        <Badge tone={plan.missing === 0 ? 'positive' : 'negative'}>{plan.missing === 0 ? 'Backed' : `${formatMoney(plan.missing)} missing`}</Badge>
      </div>
      <DetailList
        items={[
          { label: 'Cash for gains', value: <Amount value={plan.cash} /> },
          { label: 'Members put in', value: <Amount value={plan.cost} /> },
          { label: 'Open trades are worth', value: <Amount value={plan.value} /> },
          ...plan.assets.map(({ name, cost, value, provenAt, proof, issuer }) => ({
            label: name,
            value: (
              <>
                <Amount value={value} />
                <span className="block text-xs font-normal text-ink-faint">
                  cost {formatMoney(cost)}; {[proof, issuer].filter(Boolean).join(', ')}
                  {provenAt && `, ${formatMoment(provenAt)}`}
                </span>
              </>
            ),
          })),
        ]}
      />
      {plan.at && <p className="mt-1 text-xs text-ink-faint">Trades summed up {formatMoment(plan.at)}</p>}
    </Card>
  )
}

const amountOf = ({ change }: Proposal) => (typeof change['amount'] === 'number' ? change['amount'] : undefined)

const columns = {
  movement: (one: Proposal) => titleOf(one.kind),
  amount: amountOf,
  details: (one: Proposal) => changesOf({ ...one, before: null }).flatMap(({ label, after }) => (label === 'Amount' ? [] : `${label} ${after}`)).join('; '),
  confirmedAt: (one: Proposal) => one.decidedAt,
  proposedBy: (one: Proposal) => one.proposedByName,
  confirmedBy: (one: Proposal) => one.decidedByName,
}

function Movements({ movements }: { movements: Proposal[] }) {
  if (movements.length === 0) {
    return (
      <Card>
        <EmptyState icon={Landmark} title="No movements yet" description="Capital, costs, and what plans buy and sell appear here." />
      </Card>
    )
  }
  return (
    <Card className="overflow-hidden">
      <CardHead title="Movements">
        <ShownCsvButton size="sm" columns={columns} rows={movements} name="solvane-movements" aria-label="Movements as CSV" />
      </CardHead>
      <ul className="divide-y divide-line text-sm">
        {movements.map((movement) => (
          <li key={movement.id} className="px-4 py-3">
            <Facts movement={movement} />
            <DocumentLink proposal={movement} />
            <p className="text-xs text-ink-faint">
              {movement.decidedAt && formatMoment(movement.decidedAt)}, proposed by {movement.proposedByName ?? 'staff'}, confirmed by{' '}
              {movement.decidedByName ?? 'staff'}
            </p>
          </li>
        ))}
      </ul>
    </Card>
  )
}

/** What moved and how much on one line, why and with which proof below it, then what identifies the proof. */
function Facts({ movement }: { movement: Proposal }) {
  const facts = changesOf({ ...movement, before: null })
  const inWords = (some: typeof facts) => some.map(({ label, after }) => `${label} ${after}`).join(' · ')
  const exact = facts.filter(({ isExact }) => isExact)
  return (
    <>
      <p className="flex flex-wrap items-baseline justify-between gap-x-4 font-medium">
        <span>{titleOf(movement.kind)}</span>
        <span className="tabular">{facts.find(({ label }) => label === 'Amount')?.after}</span>
      </p>
      <p className="wrap-anywhere text-ink-soft">{inWords(facts.filter(({ label, isExact }) => label !== 'Amount' && !isExact))}</p>
      {exact.length > 0 && <p className="text-xs wrap-anywhere text-ink-faint">{inWords(exact)}</p>}
    </>
  )
}
