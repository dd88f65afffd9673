import { ChevronDown, Eye, EyeOff } from 'lucide-react'
import { useId, useState, type ChangeEvent, type ComponentProps, type ReactNode } from 'react'
import { codeIn } from '@/lib/pasted'
import { cx } from './cx'

type FieldProps = { label: string; error?: string; hint?: ReactNode; optional?: boolean }

const control = cx(
  'block w-full min-h-11.5 rounded-md border bg-surface px-3.5 text-base text-ink transition-colors placeholder:text-ink-faint',
  'border-line-control hover:border-ink-faint focus:border-accent focus:outline-2 focus:outline-offset-0 focus:outline-accent/40',
  'aria-invalid:border-negative aria-invalid:focus:outline-negative/30',
  'disabled:cursor-not-allowed disabled:bg-sunken disabled:text-ink-faint',
)

/** Label above, control, then the error or a hint below, all tied together for screen readers. */
function Frame({ id, label, error, hint, optional, children }: FieldProps & { id: string; children: ReactNode }) {
  return (
    <div>
      <label htmlFor={id} className="mb-1.5 flex justify-between gap-3 text-sm font-medium text-ink">
        {label}
        {optional && <span className="font-normal text-ink-faint">Optional</span>}
      </label>
      {children}
      {error ? (
        <p id={`${id}-note`} role="alert" className="mt-1.5 text-sm text-negative">
          {error}
        </p>
      ) : (
        hint && (
          <div id={`${id}-note`} className="mt-1.5 text-sm text-ink-faint">
            {hint}
          </div>
        )
      )}
    </div>
  )
}

function useControl({ id, error, hint }: { id?: string; error?: string; hint?: ReactNode }) {
  const generated = useId()
  const own = id ?? generated
  return {
    id: own,
    'aria-invalid': error !== undefined ? true : undefined,
    'aria-describedby': error || hint ? `${own}-note` : undefined,
  } as const
}

type InputProps = Omit<ComponentProps<'input'>, 'size'> & FieldProps & {
  trailing?: ReactNode
  leading?: ReactNode
  /** What is taken of a text that was pasted or filled in. */
  clean?: (text: string) => string
}

/** Whether a key was pressed; anything else brings a whole text: a paste, a drop, what the browser fills in. */
const isTyped = ({ nativeEvent }: ChangeEvent<HTMLInputElement>) => {
  const { inputType = '' } = nativeEvent as InputEvent
  return inputType.startsWith('delete') || inputType.startsWith('history') || inputType === 'insertText' || inputType === 'insertCompositionText'
}

export function TextField({ label, error, hint, optional, trailing, leading, className, clean, onChange, ...rest }: InputProps) {
  const wiring = useControl({ id: rest.id, error, hint })
  const change = (event: ChangeEvent<HTMLInputElement>) => {
    if (clean && !isTyped(event)) event.target.value = clean(event.target.value)
    return onChange?.(event)
  }
  return (
    <Frame id={wiring.id} {...{ label, error, hint, optional }}>
      <div className="relative">
        {leading && (
          <span className="pointer-events-none absolute inset-y-0 inset-s-3.5 flex items-center text-ink-faint">{leading}</span>
        )}
        <input
          {...rest}
          {...wiring}
          onChange={onChange && change}
          className={cx(control, Boolean(leading) && 'ps-8', Boolean(trailing) && 'pe-14', className)}
        />
        {trailing && <span className="absolute inset-y-0 inset-e-0.5 flex items-center">{trailing}</span>}
      </div>
    </Frame>
  )
}

type TextAreaProps = ComponentProps<'textarea'> & FieldProps

export function TextAreaField({ label, error, hint, optional, className, ...rest }: TextAreaProps) {
  const wiring = useControl({ id: rest.id, error, hint })
  return (
    <Frame id={wiring.id} {...{ label, error, hint, optional }}>
      <textarea {...rest} {...wiring} className={cx(control, 'py-2.5', className)} />
    </Frame>
  )
}

/** A password that can be shown and hidden [MSG-03]. */
export function PasswordField(props: Omit<InputProps, 'type' | 'trailing'>) {
  const [shown, setShown] = useState(false)
  const Icon = shown ? EyeOff : Eye
  return (
    <TextField
      {...props}
      type={shown ? 'text' : 'password'}
      autoCapitalize="none"
      spellCheck={false}
      trailing={
        <button
          type="button"
          aria-pressed={shown}
          aria-label={shown ? 'Hide password' : 'Show password'}
          onClick={() => setShown(!shown)}
          className="grid size-10.5 place-items-center rounded-md text-ink-faint hover:text-ink"
        >
          <Icon aria-hidden className="size-4.5" />
        </button>
      }
    />
  )
}

/** A mailed code of six digits, which phones offer to fill in. What is pasted may have blanks and words around it. */
export function CodeField(props: Omit<InputProps, 'label' | 'type' | 'clean'>) {
  return (
    <TextField
      {...props}
      clean={codeIn}
      label="6-digit code"
      inputMode="numeric"
      autoComplete="one-time-code"
      placeholder="000000"
      className="tabular text-center text-xl tracking-[0.45em] placeholder:tracking-[0.45em]"
    />
  )
}

type MoneyFieldProps = Omit<InputProps, 'type' | 'leading' | 'trailing'> & {
  /** Adds a button that fills in the maximum. */
  onMax?: () => void
}

/** A dollar amount; typed as text so that no browser rounds it. */
export function MoneyField({ className, onMax, ...rest }: MoneyFieldProps) {
  return (
    <TextField
      inputMode="decimal"
      autoComplete="off"
      placeholder="0.00"
      {...rest}
      leading="$"
      trailing={
        onMax && (
          <button
            type="button"
            aria-label="Use the maximum"
            onClick={onMax}
            className="min-h-10.5 rounded-md px-2 text-sm font-semibold text-accent-text hover:bg-sunken"
          >
            Max
          </button>
        )
      }
      className={cx('tabular font-medium', className)}
    />
  )
}

type Option = string | { value: string; label: string }

type SelectProps = ComponentProps<'select'> & FieldProps & { options: readonly Option[]; blank?: string }

const asOption = (option: Option) => (typeof option === 'string' ? { value: option, label: option } : option)

/** A select with a blank first option labelled `blank` or "Select {label}" [MSG-03]. */
export function SelectField({ label, error, hint, optional, options, blank, className, ...rest }: SelectProps) {
  const wiring = useControl({ id: rest.id, error, hint })
  return (
    <Frame id={wiring.id} {...{ label, error, hint, optional }}>
      <div className="relative">
        <select {...rest} {...wiring} className={cx(control, 'appearance-none pe-10', className)}>
          <option value="">{blank ?? `Select ${label}`}</option>
          {options.map(asOption).map(({ value, label: name }) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
        <ChevronDown aria-hidden className="pointer-events-none absolute inset-y-0 inset-e-3.5 my-auto size-4.5 text-ink-faint" />
      </div>
    </Frame>
  )
}
