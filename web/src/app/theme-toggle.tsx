import { Moon, Sun } from 'lucide-react'
import { IconButton } from '@/components/button'
import { setTheme } from '@/lib/theme'

/** CSS shows the icon of the other theme, so that it is right before the app has loaded. */
export function ThemeToggle() {
  const toggle = () => setTheme(document.documentElement.dataset['theme'] === 'dark' ? 'light' : 'dark')
  return (
    <IconButton label="Switch between light and dark" onClick={toggle}>
      <Moon aria-hidden className="size-5 dark:hidden" />
      <Sun aria-hidden className="hidden size-5 dark:block" />
    </IconButton>
  )
}
