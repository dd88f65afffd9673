import {
  ArrowDownToLine,
  ArrowUpFromLine,
  ChartNoAxesCombined,
  CircleDollarSign,
  Gift,
  GraduationCap,
  ReceiptText,
  TrendingUp,
  type LucideIcon,
} from 'lucide-react'

const icons: Record<string, LucideIcon> = {
  bonus: Gift,
  profit: TrendingUp,
  course: GraduationCap,
  deposit: ArrowDownToLine,
  withdrawal: ArrowUpFromLine,
  trade: ChartNoAxesCombined,
  fee: ReceiptText,
}

/** The icon of a transaction by its title, without regard to case [TXN-03]. */
export function TransactionIcon({ title }: { title: string }) {
  const Icon = icons[title.trim().toLowerCase()] ?? CircleDollarSign
  return (
    <span aria-hidden className="grid size-10 shrink-0 place-items-center rounded-full bg-sunken text-ink-soft">
      <Icon className="size-4.5" />
    </span>
  )
}
