import { useId } from 'react'

type SegmentedProps<T extends string> = {
  legend: string
  options: readonly { value: T; label: string }[]
  value: T
  onChange: (value: T) => void
}

/** One choice of a few, as a row of radio buttons. */
export function Segmented<T extends string>({ legend, options, value, onChange }: SegmentedProps<T>) {
  const name = useId()
  return (
    <fieldset className="min-w-0">
      <legend className="sr-only">{legend}</legend>
      <div className="relative inline-flex max-w-full gap-0.5 overflow-x-auto rounded-md bg-sunken p-1">
        {options.map((option) => (
          <label
            key={option.value}
            className="inline-flex min-h-9 items-center rounded-sm px-3 text-sm font-medium text-ink-soft transition-colors select-none hover:text-ink has-checked:bg-raised has-checked:text-ink has-checked:shadow-card has-focus-visible:outline-2 has-focus-visible:outline-accent pointer-coarse:min-h-11"
          >
            <input
              type="radio"
              name={name}
              checked={option.value === value}
              onChange={() => onChange(option.value)}
              className="sr-only"
            />
            {option.label}
          </label>
        ))}
      </div>
    </fieldset>
  )
}
