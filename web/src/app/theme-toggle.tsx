import { Moon, Sun } from 'lucide-react'
import { IconButton } from '@/components/button'
import { setTheme, useTheme } from '@/lib/theme'

export function ThemeToggle() {
  const { theme } = useTheme()
  const dark = theme === 'dark' || (theme === 'system' && document.documentElement.dataset['theme'] === 'dark')
  const Icon = dark ? Sun : Moon
  return (
    <IconButton label={dark ? 'Use light theme' : 'Use dark theme'} onClick={() => setTheme(dark ? 'light' : 'dark')}>
      <Icon aria-hidden className="size-5" />
    </IconButton>
  )
}
