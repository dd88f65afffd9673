/** Toasts: the newest three; a repeated message comes again with its count [NAV-03]. */
import { toast, type Id } from 'react-toastify/unstyled'

type Message = { kind: 'success' | 'error' | 'warning' | 'info'; title: string; description?: string }

const MOST = 3
/** How long a toast stays. */
export const TOAST_MS = 4_000

/** The oldest first; those that left since are dropped with the next. */
let shown: readonly (Message & { id: Id; times: number })[] = []

/**
 * The library's own limit lets the newest wait; here the oldest leaves for it. An earlier success is over as soon as anything
 * else is said: it would cover the page, and stand beside the next failure.
 */
function show(message: Message) {
  const { kind, title, description } = message
  const present = shown.filter(({ id }) => toast.isActive(id))
  const same = present.find((other) => other.kind === kind && other.title === title && other.description === description)
  const oldest = same ?? (present.length === MOST ? present[0] : undefined)
  const leaving = present.filter((other) => other === oldest || other.kind === 'success')
  for (const { id } of leaving) toast.dismiss(id)
  const times = (same?.times ?? 0) + 1
  const role = kind === 'error' || kind === 'warning' ? 'alert' : 'status'
  const id = toast[kind](<Content {...message} times={times} />, { role })
  shown = [...present.filter((other) => !leaving.includes(other)), { ...message, id, times }]
}

function Content({ title, description, times }: Message & { times: number }) {
  return (
    <>
      <div className="min-w-0 flex-1 py-px wrap-anywhere">
        <p className={description ? 'font-medium' : undefined}>{title}</p>
        {description && <p className="mt-0.5 text-ink-soft">{description}</p>}
      </div>
      {times > 1 && (
        <span className="tabular mx-2 mt-px rounded-full bg-sunken px-2 text-xs leading-5 font-medium text-ink-soft">
          <span aria-hidden>×{times}</span>
          <span className="sr-only">{times} times</span>
        </span>
      )}
    </>
  )
}

export const notify = {
  success: (title: string, description?: string) => show({ kind: 'success', title, description }),
  error: (title: string, description?: string) => show({ kind: 'error', title, description }),
  warning: (title: string, description?: string) => show({ kind: 'warning', title, description }),
  info: (title: string, description?: string) => show({ kind: 'info', title, description }),
}
