import { X } from 'lucide-react'
import { useSyncExternalStore, type FocusEvent } from 'react'
import { createPortal } from 'react-dom'
import { ToastContainer, toast } from 'react-toastify/unstyled'
import { TOAST_MS } from '@/lib/notify'

/** The element that holds the toasts; `null` while the build renders pages without a browser. */
const holder = typeof document === 'undefined' ? null : document.createElement('div')

/** The areas on the page: the app's own, and one in each open dialog. The toasts lie in the last one. */
let areas: readonly HTMLElement[] = []

function join(area: HTMLElement | null) {
  if (!area) return
  const settle = (next: readonly HTMLElement[]) => {
    areas = next
    if (holder) areas.at(-1)?.append(holder)
  }
  settle([...areas, area])
  return () => settle(areas.filter((other) => other !== area))
}

/**
 * Where toasts appear [NAV-03]. An open dialog makes everything outside it inert: a toast that lay outside would be
 * covered, could not be closed, and would not be announced. So each dialog has an area of its own.
 */
export const ToastArea = () => <div ref={join} />

const focused = ({ target }: FocusEvent) => ({ id: target.closest('.toast')?.id })

/** The toasts, and the app's area for them. The library gives a toast its time by the animation of its hidden bar. */
export function Toasts() {
  const place = useSyncExternalStore(() => () => undefined, () => holder, () => null)
  return (
    <div ref={join} onFocus={(event) => toast.pause(focused(event))} onBlur={(event) => toast.play(focused(event))}>
      {place &&
        createPortal(
          <ToastContainer
            aria-label="Notifications"
            position="top-center"
            autoClose={TOAST_MS}
            newestOnTop
            hideProgressBar
            pauseOnFocusLoss={false}
            transition={false}
            hotKeys={() => false}
            closeButton={({ closeToast }) => (
              <button
                type="button"
                aria-label="Dismiss"
                onClick={() => closeToast()}
                className="-my-1 grid size-8 shrink-0 place-items-center rounded-md text-ink-faint hover:bg-sunken hover:text-ink"
              >
                <X aria-hidden className="size-4" />
              </button>
            )}
            className="pointer-events-none inset-x-0 top-4 z-60 mx-auto w-89 max-w-[calc(100vw-1.5rem)] transform-none gap-3.5"
            toastClassName="toast pointer-events-auto m-0 min-h-0 w-full animate-rise items-start rounded-lg border border-line bg-surface py-3 pe-2 ps-3.5 font-sans text-sm text-ink shadow-float"
          />,
          place,
        )}
    </div>
  )
}
