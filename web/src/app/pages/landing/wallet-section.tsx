import { Card } from '@/components/card'
import { withdrawalExample } from '@/content/marketing'
import { formatCents, toCents, withdrawalFee } from '@/lib/money'
import { Band, BandHeading } from '../../public-page'

const steps = [
  { title: 'Deposit', text: 'Choose a network, pay to the address shown and upload the receipt.' },
  { title: 'We review it', text: 'Your deposit is pending until a reviewer has confirmed the payment. You get an email with the result.' },
  { title: 'It is yours', text: 'Invest it, buy the course with it, or withdraw it to your own address.' },
] as const

/** How the wallet treats money, with a withdrawal worked out as an example. */
export function WalletSection() {
  return (
    <Band aria-labelledby="wallet" className="border-y border-line bg-surface py-16 lg:py-24">
      <div className="grid items-center gap-10 lg:grid-cols-[1.1fr_1fr] lg:gap-16">
        <div>
          <BandHeading id="wallet" title="A wallet that shows its work">
            Your balance is in dollars, deposits and payouts are settled in cryptocurrency, and every transaction shows where it comes from.
          </BandHeading>
          <ol className="mt-9 space-y-6">
            {steps.map(({ title, text }, index) => (
              <li key={title} className="flex gap-4">
                <span className="tabular grid size-9 shrink-0 place-items-center rounded-full bg-accent-soft text-sm font-semibold text-accent-text">
                  {index + 1}
                </span>
                <div>
                  <h3 className="pt-1.5 font-semibold">{title}</h3>
                  <p className="mt-0.5 text-ink-soft">{text}</p>
                </div>
              </li>
            ))}
          </ol>
        </div>
        <Example />
      </div>
    </Band>
  )
}

/** Uses the same fee function as the withdrawal page. */
function Example() {
  const { amount, feePercent } = withdrawalExample
  const cents = toCents(amount)
  const fee = withdrawalFee(cents, feePercent)
  return (
    <div className="rounded-xl bg-hero p-5 sm:p-10">
      <Card aria-label="Example of a withdrawal" className="p-6">
        <div className="flex items-baseline justify-between gap-4">
          <h3 className="font-semibold">Withdrawal</h3>
          <span className="text-sm text-ink-faint">Example</span>
        </div>
        <dl className="mt-4 divide-y divide-line">
          <Line label="Amount" value={formatCents(cents)} />
          <Line label={`Fee, ${feePercent}%`} value={`-${formatCents(fee)}`} />
          <Line label="You receive" value={formatCents(cents - fee)} strong />
        </dl>
        <p className="mt-4 text-sm text-ink-soft">
          The fee is shown while you type and deducted from the payout. You never have to send money to receive your own.
        </p>
      </Card>
    </div>
  )
}

function Line({ label, value, strong = false }: { label: string; value: string; strong?: boolean }) {
  return (
    <div className="flex items-baseline justify-between gap-4 py-3">
      <dt className="text-ink-soft">{label}</dt>
      <dd className={strong ? 'tabular text-xl font-semibold' : 'tabular font-medium'}>{value}</dd>
    </div>
  )
}
