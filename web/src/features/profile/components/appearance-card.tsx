import { Card } from '@/components/card'
import { Segmented } from '@/components/segmented'
import { setTheme, useTheme } from '@/lib/theme'

const themes = [
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
  { value: 'system', label: 'System' },
] as const

export function AppearanceCard() {
  const { theme } = useTheme()
  return (
    <Card className="flex flex-wrap items-center justify-between gap-4 p-5 sm:p-6">
      <div>
        <h2 className="font-semibold">Appearance</h2>
        <p className="text-sm text-ink-faint">Saved on this device.</p>
      </div>
      <Segmented legend="Theme" options={themes} value={theme} onChange={setTheme} />
    </Card>
  )
}
