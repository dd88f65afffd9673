import { CircleCheck, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { Card, CardHeader } from '@/components/card'
import { CopyButton } from '@/components/copy-button'
import { cx } from '@/components/cx'
import { DetailList } from '@/components/detail-list'
import type { Solvency } from '@/lib/api-types'
import { formatDay, formatZoned } from '@/lib/dates'
import { formatCents, formatMoney, toCents } from '@/lib/money'
import { formatRate, formatUnits } from '@/lib/units'
import { HeldAddress } from './held-address'

type Held = NonNullable<Solvency['held']>

/** The verdict in one sentence, then both sums [D-T5]. */
export function OwedAndHeld({ found: { at, owed, held, ratio } }: { found: Solvency }) {
  return (
    <Card>
      <CardHeader title="Owed and held" description={`Counted on ${formatZoned(at)}`} />
      <div className="px-5 pb-5 sm:px-6">
        {held && <Sentence owed={owed.total} held={held.total} />}
        <div className="mt-2">
          <DetailList
            items={[
              { label: 'Owed to members', value: <Sum>{formatMoney(owed.total)}</Sum> },
              { label: 'Of that, gains not taken yet', value: <span className="tabular">{formatMoney(owed.gains)}</span> },
              ...(held ? [{ label: 'Held for members', value: <Sum>{formatMoney(held.total)}</Sum> }] : []),
              ...(ratio == null ? [] : [{ label: 'Held for each $100 owed', value: <span className="tabular">{formatMoney(ratio)}</span> }]),
            ]}
          />
        </div>
      </div>
    </Card>
  )
}

const Sum = ({ children }: { children: ReactNode }) => <span className="tabular text-lg font-semibold">{children}</span>

function Sentence({ owed, held }: { owed: number; held: number }) {
  const over = toCents(held) - toCents(owed)
  const isCovered = over >= 0
  const Icon = isCovered ? CircleCheck : TriangleAlert
  return (
    <p className={cx('mt-3 flex items-start gap-3 rounded-lg p-4 text-sm text-ink', isCovered ? 'bg-positive-soft' : 'bg-negative-soft')}>
      <Icon aria-hidden className={cx('mt-0.5 size-4.5 shrink-0', isCovered ? 'text-positive' : 'text-negative')} />
      <span className="font-semibold">
        {isCovered
          ? `All that members are owed is held${over > 0 ? `, and ${formatCents(over)} more` : ''}.`
          : `${formatCents(-over)} is missing for what members are owed.`}
      </span>
    </p>
  )
}

/** What is held, and how everybody can look it up. */
export function WhatIsHeld({ held, countedAt }: { held: Held; countedAt: string }) {
  return (
    <Card>
      <CardHeader
        title="What is held"
        description={held.observed ? 'As chains and documents show' : 'As our books and documents show'}
      />
      <div className="space-y-5 px-5 pb-5 text-sm sm:px-6">
        <ul className="divide-y divide-line">
          {held.observed ? held.chains.map((one) => <OnChain key={`${one.chain} ${one.asset}`} one={one} />) : <InBooks held={held} />}
          {held.documents.map((one) => (
            <Row key={`${one.plan} ${one.name}`} title={one.plan ? `${one.name} of ${one.plan}` : one.name} value={formatMoney(one.value)}>
              {[one.proof, one.issuer].filter(Boolean).join(', ')}, {formatDay(one.provenAt)}
            </Row>
          ))}
        </ul>
        {held.addresses.length > 0 && (
          <section aria-labelledby="addresses-heading">
            <h3 id="addresses-heading" className="font-semibold">
              Addresses that receive deposits
            </h3>
            <ul className="mt-1 divide-y divide-line">
              {held.addresses.map((one) => (
                <HeldAddress key={`${one.network} ${one.currency} ${one.address} ${one.memo}`} one={one} countedAt={countedAt} />
              ))}
            </ul>
            <p className="mt-1 text-ink-faint">
              Addresses of single members are not listed. Each comes from a public key that the treasury key signed, and the member’s
              browser derives it again before it shows the address. What is there is part of the units above.
            </p>
          </section>
        )}
      </div>
    </Card>
  )
}

const OnChain = ({ one }: { one: Held['chains'][number] }) => (
  <Row title={<>{one.asset} on <span className="capitalize">{one.chain}</span></>} value={formatMoney(one.value ?? 0)}>
    {`${formatUnits(one.units ?? '0', one.decimals)} ${one.asset}`}
    {one.rate != null && ` at ${formatRate(String(one.rate))}`}
  </Row>
)

/** What is not in documents, in a night in which a chain was not read or an asset had no price. */
function InBooks({ held: { total, assets, stated, chains } }: { held: Held }) {
  const unread = chains.filter(({ value }) => value == null).map(({ asset, chain }) => `${asset} on ${capital(chain)}`)
  return (
    <Row title="On chains" value={formatCents(toCents(total) - toCents(assets) - toCents(stated))}>
      {unread.length > 0 ? `According to our books. Not read or not priced this time: ${unread.join(', ')}.` : 'According to our books. No chain was read this time.'}
    </Row>
  )
}

const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)

function Row({ title, value, children }: { title: ReactNode; value: string; children: ReactNode }) {
  return (
    <li className="py-3">
      <p className="flex flex-wrap items-baseline justify-between gap-x-4">
        <span className="font-medium">{title}</span>
        <span className="tabular font-medium">{value}</span>
      </p>
      <p className="wrap-anywhere text-ink-faint">{children}</p>
    </li>
  )
}

/** Every night that was published, newest first. */
export function Nights({ nights }: { nights: Solvency['nights'] }) {
  return (
    <Card className="overflow-hidden">
      <CardHeader title="Every night" description={`${nights.length === 1 ? 'One count' : `${nights.length} counts`}, the newest first`} />
      <div tabIndex={0} role="region" aria-label="Every night" className="mt-3 max-h-96 overflow-auto px-5 pb-5 sm:px-6">
        <table className="w-full text-sm">
          <thead>
            <tr className="text-ink-faint">
              <th className="py-2 pe-3 text-start font-medium">Counted</th>
              <th className="py-2 pe-3 text-end font-medium">Owed</th>
              <th className="py-2 text-end font-medium sm:pe-3">Held</th>
              <th className="hidden py-2 text-end font-medium sm:table-cell">Ratio</th>
            </tr>
          </thead>
          <tbody className="divide-y divide-line">
            {nights.map(({ at, owed, held, ratio }) => (
              <tr key={at}>
                <td className="py-2 pe-2 text-ink-faint sm:pe-3 sm:whitespace-nowrap">{formatDay(at)}</td>
                <td className="tabular py-2 pe-2 text-end sm:pe-3">{formatMoney(owed)}</td>
                <td className={cx('tabular py-2 text-end sm:pe-3', ratio != null && ratio < 100 && 'text-negative')}>{held == null ? '–' : formatMoney(held)}</td>
                <td className={cx('tabular hidden py-2 text-end font-medium sm:table-cell', ratio != null && ratio < 100 && 'text-negative')}>{ratio == null ? '–' : `${ratio.toLocaleString('en-US')}%`}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  )
}

/** For those who verify it themselves. */
export function ForExperts({ owed }: { owed: Solvency['owed'] }) {
  return (
    <details className="mt-8 max-w-3xl">
      <summary className="cursor-pointer py-2 text-lg font-semibold">For experts: how this is proven</summary>
      <div className="mt-1 space-y-4 leading-7 text-ink-soft">
        <div className="rounded-xl border border-line px-5">
          <DetailList
            items={[
              { label: 'Leaves', value: <span className="tabular">{owed.leaves.toLocaleString('en-US')}</span> },
              {
                label: 'Root',
                value: (
                  <span className="flex items-start justify-end gap-2">
                    <code className="min-w-0 text-xs break-all">{owed.root}</code>
                    <CopyButton text={owed.root} success="Root copied to clipboard!" failure="Failed to copy the root" />
                  </span>
                ),
              },
            ]}
          />
        </div>
        <p>
          Each member’s money, with the gains of open investments, is split into random parts, the leaves. A leaf is the SHA-256 of a
          zero byte, a random 32-byte salt, the member’s id and the amount in cents as a big-endian 64-bit number. Two neighbouring
          nodes are combined into the SHA-256 of a one byte, the left digest and sum, and the right digest and sum, until a single node
          remains: the root. No sum may be negative, so nothing can be subtracted.
        </p>
        <p>
          Leaving out a member, or understating a balance, results in a different root. Compare the root shown here with the one that
          other members see. The database counts the leaves from the postings themselves, and the root of every night is in the signed
          records that are kept outside of it.
        </p>
      </div>
    </details>
  )
}
