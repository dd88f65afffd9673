import { ChartNoAxesCombined, Layers, LogOut, ReceiptText, UserRound } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { Link } from 'react-router'
import { Avatar } from '@/components/avatar'
import { useLogOut } from '@/features/auth/api/log-out'
import { paths } from '@/lib/paths'
import { useMember } from '@/lib/session'
import { AccountButton } from './account-button'

const links = [
  { to: paths.profile, label: 'Profile', icon: UserRound },
  { to: paths.investments, label: 'Investments', icon: ChartNoAxesCombined },
  { to: paths.plans, label: 'Investment plans', icon: Layers },
  { to: paths.transactions, label: 'Transactions', icon: ReceiptText },
] as const

const item =
  'flex min-h-11 items-center gap-3 rounded-md px-3 text-sm font-medium text-ink-soft outline-none select-none data-highlighted:bg-sunken data-highlighted:text-ink'

/** Name, email, photo and links, open at first; a click outside closes the menu [NAV-02]. */
export function AccountMenu() {
  const { name, email, image } = useMember()
  const { logOut } = useLogOut()
  return (
    <DropdownMenu.Root modal={false} defaultOpen>
      <DropdownMenu.Trigger asChild>
        <AccountButton />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align="end"
          sideOffset={8}
          className="z-30 w-68 animate-rise rounded-lg border border-line bg-surface p-1.5 shadow-float"
        >
          <div className="flex items-center gap-3 px-3 py-3">
            {/* A menu holds nothing but its items for assistive technology: no picture with a name of its own. */}
            <Avatar src={image} className="size-10" />
            <div className="min-w-0">
              <p className="truncate text-sm font-semibold">{name}</p>
              <p className="truncate text-sm text-ink-faint">{email}</p>
            </div>
          </div>
          <DropdownMenu.Separator className="-mx-1.5 my-1.5 h-px bg-line" />
          {links.map(({ to, label, icon: Icon }) => (
            <DropdownMenu.Item key={to} asChild>
              <Link to={to} className={item}>
                <Icon aria-hidden className="size-4.5" />
                {label}
              </Link>
            </DropdownMenu.Item>
          ))}
          <DropdownMenu.Separator className="-mx-1.5 my-1.5 h-px bg-line" />
          <DropdownMenu.Item className={item} onSelect={() => void logOut()}>
            <LogOut aria-hidden className="size-4.5" />
            Logout
          </DropdownMenu.Item>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}
