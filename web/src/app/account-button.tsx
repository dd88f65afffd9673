import { ChevronDown } from 'lucide-react'
import type { ComponentProps } from 'react'
import { Avatar } from '@/components/avatar'
import { useMember } from '@/lib/session'

/** Opens the account menu. */
export function AccountButton(props: ComponentProps<'button'>) {
  const { name, image } = useMember()
  return (
    <button
      type="button"
      aria-label="Account menu"
      aria-haspopup="menu"
      {...props}
      className="flex min-h-11 items-center gap-2 rounded-full py-1 pe-2 ps-1 transition-colors hover:bg-sunken aria-expanded:bg-sunken"
    >
      <Avatar src={image} name={name} className="size-9" />
      <span className="hidden max-w-40 truncate text-sm font-medium sm:block">{name}</span>
      <ChevronDown aria-hidden className="size-4 text-ink-faint" />
    </button>
  )
}
