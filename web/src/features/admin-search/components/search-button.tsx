import { Search } from 'lucide-react'
import { lazy, Suspense, useLayoutEffect, useState } from 'react'
import { Kbd } from '@/features/admin/components/shortcut-help'
import { loadChunk } from '@/lib/load-chunk'
import type { BackOfficePage } from '../results'

const loadDialog = () => loadChunk(() => import('./search-dialog'))
const SearchDialog = lazy(async () => ({ default: (await loadDialog()).SearchDialog }))

const isMac = () => /Mac|iPhone|iPad/.test(navigator.platform)

/** Opens the search, from anywhere by Ctrl or Cmd and K. */
export function SearchButton({ pages }: { pages: readonly BackOfficePage[] }) {
  const [open, setOpen] = useState(false)
  // Before the page is painted: the keys work as soon as it is seen.
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || event.altKey || event.shiftKey || !(isMac() ? event.metaKey : event.ctrlKey)) return
      event.preventDefault()
      // A question that is open is answered first.
      if (!document.querySelector('dialog[open]')) setOpen(true)
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [])
  return (
    <>
      <button
        type="button"
        aria-haspopup="dialog"
        aria-keyshortcuts={isMac() ? 'Meta+K' : 'Control+K'}
        onClick={() => setOpen(true)}
        onPointerEnter={() => void loadDialog()}
        className="flex min-h-10 items-center gap-2 rounded-md border border-line bg-surface px-3 text-sm text-ink-faint hover:text-ink pointer-coarse:min-h-11"
      >
        <Search aria-hidden className="size-4.5" />
        <span className="max-sm:sr-only">Search</span>
        <span aria-hidden className="max-lg:hidden">
          <Kbd>{isMac() ? '⌘K' : 'Ctrl K'}</Kbd>
        </span>
      </button>
      {open && (
        <Suspense>
          <SearchDialog open onClose={() => setOpen(false)} pages={pages} />
        </Suspense>
      )}
    </>
  )
}
