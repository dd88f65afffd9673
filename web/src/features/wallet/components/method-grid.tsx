import { CircleAlert } from 'lucide-react'
import { useId } from 'react'
import { CoinMark } from '@/components/coin-mark'
import { cx } from '@/components/cx'
import { Skeletons } from '@/components/skeleton'
import { ErrorPanel } from '@/components/states'
import type { PaymentMethod } from '@/lib/api-types'

export type Methods = {
  data: PaymentMethod[] | undefined
  isPending: boolean
  isFetching: boolean
  error: unknown
  refetch: () => unknown
}

type MethodGridProps = {
  legend: string
  methods: Methods
  selected: string
  onSelect: (id: string) => void
  /** What is wrong with the choice. */
  error?: string
}

/** One payment method of several, each with currency, network and image [DEP-02]. */
export function MethodGrid({ legend, methods, selected, onSelect, error: refusal }: MethodGridProps) {
  const { data, isPending, isFetching, error, refetch } = methods
  const invalid = refusal !== undefined
  const note = useId()
  return (
    <fieldset aria-invalid={invalid || undefined} aria-describedby={invalid ? note : undefined}>
      <legend className="mb-1.5 text-sm font-medium">{legend}</legend>
      {isPending ? (
        <div className="grid grid-cols-1 gap-3 sm:grid-cols-2">
          <Skeletons count={4} className="h-17" label="Loading payment methods" />
        </div>
      ) : !data ? (
        <ErrorPanel error={error} onRetry={() => void refetch()} busy={isFetching} />
      ) : data.length === 0 ? (
        <p className="flex items-center gap-2 rounded-lg bg-sunken p-4 text-sm text-ink-soft">
          <CircleAlert aria-hidden className="size-4.5" />
          No payment method is available at the moment.
        </p>
      ) : (
        <div className="grid grid-cols-1 gap-3 sm:grid-cols-2">
          {data.map((method) => (
            <MethodOption
              key={method.id}
              method={method}
              checked={method.id === selected}
              invalid={invalid}
              onSelect={() => onSelect(method.id)}
            />
          ))}
        </div>
      )}
      {invalid && (
        <p id={note} role="alert" className="mt-1.5 text-sm text-negative">
          {refusal}
        </p>
      )}
    </fieldset>
  )
}

type OptionProps = { method: PaymentMethod; checked: boolean; invalid: boolean; onSelect: () => void }

function MethodOption({ method: { currency, network, image }, checked, invalid, onSelect }: OptionProps) {
  return (
    <label
      className={cx(
        'flex min-h-17 cursor-pointer items-center gap-3 rounded-lg border px-4 py-3 transition-colors',
        'has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent',
        checked ? 'border-accent bg-accent-soft' : cx('hover:bg-sunken', invalid ? 'border-negative' : 'border-line-control'),
      )}
    >
      <input type="radio" name="method" checked={checked} onChange={onSelect} className="sr-only" />
      <CoinMark currency={currency} image={image} />
      <span className="min-w-0">
        <span className="block font-semibold">{currency}</span>
        <span className="block truncate text-sm text-ink-soft">{network}</span>
      </span>
      <span
        aria-hidden
        className={cx('ms-auto size-4.5 shrink-0 rounded-full border', checked ? 'border-[5px] border-accent bg-surface' : 'border-line-control')}
      />
    </label>
  )
}
