import { Bitcoin } from 'lucide-react'
import type { ReactNode } from 'react'
import { cx } from './cx'

/** Currency signs drawn as paths, because as text they would load another font file. */
const Tether = () => (
  <svg viewBox="0 0 24 24" fill="none" stroke="currentColor" strokeWidth="2.5" strokeLinecap="round" className="size-6">
    <path d="M6 6h12M12 6v13" />
    <ellipse cx="12" cy="11.5" rx="7" ry="2" strokeWidth="1.5" />
  </svg>
)

const Ether = () => (
  <svg viewBox="0 0 24 24" fill="none" stroke="currentColor" strokeWidth="2.5" strokeLinecap="round" className="size-6">
    <path d="M6 6h12M7.5 12h9M6 18h12" />
  </svg>
)

const marks: Record<string, { sign: ReactNode; tone: string }> = {
  BTC: { sign: <Bitcoin className="size-6" strokeWidth={2.5} />, tone: 'bg-[#f7931a] text-[#1a1002]' },
  ETH: { sign: <Ether />, tone: 'bg-[#627eea] text-[#070b1c]' },
  USDT: { sign: <Tether />, tone: 'bg-[#26a17b] text-[#03130d]' },
  USDC: { sign: '$', tone: 'bg-[#5b9bea] text-[#04101f]' },
}

type CoinMarkProps = { currency: string; image?: string | null; className?: string }

/** The picture of a payment method, or a drawn mark of its currency when it has none. */
export function CoinMark({ currency, image, className }: CoinMarkProps) {
  const size = className ?? 'size-10'
  if (image) return <img src={image} alt="" className={cx('shrink-0 rounded-full bg-sunken object-cover', size)} />
  const { sign, tone } = marks[currency] ?? { sign: currency.slice(0, 1), tone: 'bg-sunken text-ink' }
  return (
    <span aria-hidden className={cx('grid shrink-0 place-items-center rounded-full text-lg font-bold', size, tone)}>
      {sign}
    </span>
  )
}
