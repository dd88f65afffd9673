/**
 * Work that one tab of a browser does for all: the one that holds a lock. A tab whose scripts stand still (frozen, or
 * held by a debugger) keeps its locks, so the others ask it for a sign of life and take its place if none comes.
 */
const ASK_MS = 8_000
const GRACE_MS = 4_000

type Message = { type: 'said'; text: string } | { type: 'asked' } | { type: 'alive' }

export type SharedWork = {
  /** A lock's and a channel's name: the same in every tab. */
  name: string
  /** Works until the signal aborts, or until there is nothing more to do. `missed`: something may have happened before. `say` reaches the other tabs. */
  work: (turn: { missed: boolean; say: (text: string) => void; signal: AbortSignal }) => Promise<void>
  /** Hears what the working tab says. */
  onSaid: (text: string) => void
}

/** Takes part until it is stopped by the function it returns. */
export function shareWork({ name, work, onSaid }: SharedWork) {
  // Without channels every tab works for itself.
  const channel = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel(name)
  const post = (message: Message) => channel?.postMessage(message)
  const say = (text: string) => post({ type: 'said', text })
  let turn = new AbortController()
  let isWorking = false
  let deadline: ReturnType<typeof setTimeout> | undefined

  const hear = ({ data }: MessageEvent<Message>) => {
    if (data.type === 'said') onSaid(data.text)
    if (data.type === 'asked' && isWorking) post({ type: 'alive' })
    if (data.type === 'alive') clearTimeout(deadline)
  }
  channel?.addEventListener('message', hear)

  /** Waits for this tab's turn, or takes it from a tab that stands still. */
  const join = async ({ missed, steal = false }: { missed: boolean; steal?: boolean }) => {
    turn.abort()
    const mine = (turn = new AbortController())
    const asked = Date.now()
    const lead = async () => {
      if (mine.signal.aborted) return
      isWorking = true
      await work({ missed: missed || Date.now() - asked > GRACE_MS, say, signal: mine.signal })
    }
    // Without locks, or a channel to hear the tab that holds one, every tab works for itself.
    const locks = channel && (navigator.locks as LockManager | undefined)
    const held = locks ? locks.request(name, steal ? { steal } : { signal: mine.signal }, lead) : lead()
    const isOver = await held.then(
      () => true,
      () => mine.signal.aborted,
    )
    if (turn !== mine) return
    isWorking = false
    // Otherwise another tab took the turn while this one stood still: wait for the next.
    if (!isOver) void join({ missed: true })
  }

  const askForLife = () => {
    if (isWorking || document.visibilityState === 'hidden') return
    clearTimeout(deadline)
    deadline = setTimeout(() => void join({ missed: true, steal: true }), GRACE_MS)
    post({ type: 'asked' })
  }
  const timer = setInterval(askForLife, ASK_MS)

  // A page that is being frozen, or lies in the browser's history, gives its turn away at once.
  const leave = () => {
    clearTimeout(deadline)
    turn.abort()
    isWorking = false
  }
  const comeBack = () => void join({ missed: true })
  const onShow = ({ persisted }: PageTransitionEvent) => persisted && comeBack()
  document.addEventListener('freeze', leave)
  document.addEventListener('resume', comeBack)
  window.addEventListener('pagehide', leave)
  window.addEventListener('pageshow', onShow)
  void join({ missed: false })
  return () => {
    document.removeEventListener('freeze', leave)
    document.removeEventListener('resume', comeBack)
    window.removeEventListener('pagehide', leave)
    window.removeEventListener('pageshow', onShow)
    clearInterval(timer)
    leave()
    channel?.close()
  }
}
