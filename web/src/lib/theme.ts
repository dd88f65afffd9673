/** The chosen appearance, kept in local storage under `theme`; `boot.ts` applies it before the first paint. */
import { create } from 'zustand'
import { persist } from 'zustand/middleware'

export type Theme = 'light' | 'dark' | 'system'

const prefersDark = () => window.matchMedia('(prefers-color-scheme: dark)').matches

function apply(theme: Theme) {
  const shown = theme === 'system' ? (prefersDark() ? 'dark' : 'light') : theme
  document.documentElement.dataset['theme'] = shown
}

const initial: { theme: Theme } = { theme: 'light' }

export const useTheme = create<{ theme: Theme }>()(
  persist(() => initial, {
    name: 'theme',
    onRehydrateStorage: () => (state) => apply(state?.theme ?? 'light'),
  }),
)

useTheme.subscribe(({ theme }) => apply(theme))

export function setTheme(theme: Theme) {
  useTheme.setState({ theme })
}
