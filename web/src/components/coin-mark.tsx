import { cx } from './cx'

const marks: Record<string, { sign: string; tone: string }> = {
  BTC: { sign: '₿', tone: 'bg-[#f7931a] text-[#1a1002]' },
  ETH: { sign: 'Ξ', tone: 'bg-[#627eea] text-[#070b1c]' },
  USDT: { sign: '₮', tone: 'bg-[#26a17b] text-[#03130d]' },
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
