import type { ComponentProps, MouseEvent, ReactNode } from 'react'
import { Link } from 'react-router'
import { cx } from './cx'
import { useSending } from './form'
import { useAct, useIsHeld } from './hold'
import { Spinner } from './spinner'

type Look = {
  variant?: 'primary' | 'secondary' | 'ghost' | 'danger' | 'hero' | 'hero-quiet'
  size?: 'md' | 'lg' | 'sm'
  wide?: boolean
}

const variants = {
  primary: 'bg-accent text-accent-ink hover:bg-accent-strong shadow-card',
  secondary: 'bg-surface text-ink border border-line hover:bg-sunken shadow-card',
  ghost: 'text-ink-soft hover:bg-sunken hover:text-ink',
  danger: 'bg-surface text-negative border border-line hover:bg-negative-soft',
  hero: 'bg-hero-ink text-hero hover:bg-hero-soft',
  'hero-quiet': 'bg-hero-raised text-hero-ink hover:brightness-110',
}

const sizes = {
  sm: 'min-h-9 px-3 text-sm pointer-coarse:min-h-11',
  md: 'min-h-11 px-4.5 text-sm',
  lg: 'min-h-12.5 px-6 text-base',
}

export function buttonClass({ variant = 'primary', size = 'md', wide = false }: Look = {}, extra?: string) {
  return cx(
    'inline-flex items-center justify-center gap-2 rounded-md font-semibold whitespace-nowrap transition-colors select-none',
    'disabled:cursor-not-allowed disabled:opacity-55 forced-colors:border',
    variants[variant],
    sizes[size],
    wide && 'w-full',
    extra,
  )
}

export type ButtonProps = Omit<ComponentProps<'button'>, 'onClick'> &
  Look & {
    busyLabel?: string
    icon?: ReactNode
    /** Keeps the button busy for another reason than a press. */
    busy?: boolean
    /** The button is busy until the returned promise settles, if there is one. */
    onClick?: (event: MouseEvent<HTMLButtonElement>) => unknown
  }

/** While busy, the button is disabled and shows `busyLabel` [AUTH-17]. */
export function Button({ variant, size, wide, busyLabel, icon, className, children, onClick, ...rest }: ButtonProps) {
  const press = useAct()
  const isSending = useSending() && rest.type === 'submit'
  const { busy: isHeld = false, ...button } = rest
  const busy = isHeld || press.busy || isSending
  return (
    <button
      type="button"
      {...button}
      onClick={onClick && ((event) => void press.run(() => onClick(event)))}
      className={buttonClass({ variant, size, wide }, className)}
      disabled={busy || rest.disabled}
      aria-busy={busy || undefined}
    >
      {busy ? <Spinner /> : icon}
      {/* Elements of their own: a browser that translates the page replaces text nodes. */}
      {busy && busyLabel ? (
        <span key="busy">{busyLabel}</span>
      ) : (
        <span key="idle" className="contents">
          {children}
        </span>
      )}
    </button>
  )
}

/** Leaves a form or a dialog; in a dialog not while something that was begun there runs. */
export const CancelButton = ({ children = 'Cancel', ...rest }: Pick<ButtonProps, 'onClick' | 'disabled' | 'children'>) => {
  const isHeld = useIsHeld()
  return (
    <Button variant="ghost" {...rest} disabled={isHeld || rest.disabled}>
      {children}
    </Button>
  )
}

export function ButtonLink({ variant, size, wide, className, ...rest }: ComponentProps<typeof Link> & Look) {
  return <Link {...rest} className={buttonClass({ variant, size, wide }, className)} />
}

const iconButton =
  'inline-grid shrink-0 place-items-center rounded-md text-ink-soft transition-colors hover:bg-sunken hover:text-ink'

/** A link that shows only an icon; `label` names it. */
export function IconLink({ label, className, ...rest }: ComponentProps<typeof Link> & { label: string }) {
  return <Link aria-label={label} title={label} {...rest} className={cx(iconButton, 'size-11', className)} />
}

/** A square button that shows only an icon; `label` names it. */
export function IconButton({ label, size = 'md', className, ...rest }: ComponentProps<'button'> & { label: string; size?: 'sm' | 'md' }) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      {...rest}
      className={cx(iconButton, size === 'sm' ? 'size-8 pointer-coarse:size-11' : 'size-11', className)}
    />
  )
}
