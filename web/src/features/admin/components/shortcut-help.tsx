import { useState } from 'react'
import { Dialog } from '@/components/dialog'

export function useHelp() {
  const [shown, setShown] = useState(false)
  return { shown, open: () => setShown(true), close: () => setShown(false) }
}

const keys = [
  ['j', 'Next item'],
  ['k', 'Previous item'],
  ['Enter', 'Open the item, or submit the decision'],
  ['c', 'Claim the item, or give it back'],
  ['a', 'Approve'],
  ['r', 'Reject, then 1 to 6 to choose the reason'],
  ['Esc', 'Cancel the decision'],
  ['+ - 0', 'Zoom in, zoom out, fit the proof'],
  ['q', 'Back to the queue'],
  ['Ctrl K', 'Search the back office'],
  ['?', 'Show this help'],
] as const

/** The keys of queue and review. */
export function ShortcutHelp({ shown, close }: { shown: boolean; close: () => void }) {
  return (
    <Dialog open={shown} onClose={close} title="Keyboard">
      <dl className="divide-y divide-line text-sm">
        {keys.map(([key, does]) => (
          <div key={key} className="flex items-center gap-4 py-2">
            <dt className="w-20">
              <Kbd>{key}</Kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}

export function Kbd({ children }: { children: string }) {
  return (
    <kbd className="rounded-sm border border-line bg-sunken px-1.5 py-0.5 font-mono text-xs font-medium text-ink-soft">{children}</kbd>
  )
}
