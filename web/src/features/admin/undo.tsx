/**
 * Acts of staff that can be undone for five seconds: what they do is shown at once, and sent afterwards. One waits at a time: the
 * next one, a logout, and leaving the page send it early. Not for acts that pay, post or delete. A second factor is given before,
 * because nobody can be asked once the page is left.
 */
import { useQueryClient, type QueryClient } from '@tanstack/react-query'
import { toast, type Id } from 'react-toastify/unstyled'
import { create } from 'zustand'
import type { CallOptions } from '@/lib/api-client'
import { messageOf } from '@/lib/api-error'
import { randomId } from '@/lib/id'
import { notify } from '@/lib/notify'
import { useSession } from '@/lib/session'
import { meQuery } from './api/get-me'
import { adminKeys } from './api/keys'
import type { Me } from './api/types'

const UNDO_MS = 5_000
/** While the button has the focus or the pointer, its time is looked at again. */
const LOOK_AGAIN_MS = 1_000
const LONGEST_MS = 30_000

/** A logout waits no longer for what is sent before it. */
const LONGEST_SEND_MS = 3_000

/** A fresh second factor; or also the signature of a passkey, which is given as it is sent. */
type Needs = 'factor' | 'signature'

type Act = {
  /** What it is about: screens show what waits under this name. */
  about: string
  values: unknown
  /** Said once it is shown as done. */
  said: string
  send: (options: CallOptions) => Promise<unknown>
  client: QueryClient
  needs?: Needs
}

type State = {
  waiting?: Act
  sending: readonly Act[]
  /** What was undone or refused, by what it is about, so that a form has it again. */
  returned: Record<string, unknown>
}

const useActs = create<State>(() => ({ sending: [], returned: {} }))

const giveBack = ({ about, values }: Act) => useActs.setState(({ returned }) => ({ returned: { ...returned, [about]: values } }))

let timer: ReturnType<typeof setTimeout> | undefined
let shown: Id | undefined

function takeWaiting() {
  const { waiting } = useActs.getState()
  clearTimeout(timer)
  useActs.setState({ waiting: undefined })
  if (shown) toast.dismiss(shown)
  return waiting
}

/** Sends what waits. It is shown as done until the server's own state is read again, or given back if it is refused. */
export async function sendWaiting({ keepalive = false } = {}): Promise<void> {
  const act = takeWaiting()
  if (!act) return
  const { client } = act
  useActs.setState(({ sending }) => ({ sending: [...sending, act] }))
  const options = { idempotencyKey: randomId(), keepalive }
  // Of its own, so that it outlives the screen; the answer's message would repeat what was said.
  const mutation = client.getMutationCache().build(client, client.defaultMutationOptions({ mutationFn: async () => void (await act.send(options)) }))
  const sent = mutation.execute(undefined).catch(() => giveBack(act))
  void sent.then(async () => {
    await client.invalidateQueries({ queryKey: adminKeys.all })
    useActs.setState(({ sending }) => ({ sending: sending.filter((one) => one !== act) }))
  })
  await Promise.race([sent, new Promise((resolve) => setTimeout(resolve, LONGEST_SEND_MS))])
}

function undo() {
  const act = takeWaiting()
  if (!act) return
  giveBack(act)
  notify.info('Undone')
}

const isOnButton = () => document.querySelector('[data-undo]')?.matches(':focus, :hover') ?? false

function begin(act: Act) {
  void sendWaiting()
  useActs.setState(({ returned }) => ({ waiting: act, returned: { ...returned, [act.about]: undefined } }))
  const until = Date.now() + LONGEST_MS
  const look = () => {
    if (isOnButton() && Date.now() < until) timer = setTimeout(look, LOOK_AGAIN_MS)
    else void sendWaiting()
  }
  timer = setTimeout(look, UNDO_MS)
  // Dismissed, it is sent at once.
  const onClose = () => void (useActs.getState().waiting === act && sendWaiting())
  shown = toast.success(<Said text={act.said} />, { role: 'status', autoClose: false, onClose })
}

function Said({ text }: { text: string }) {
  return (
    <>
      <p className="min-w-0 flex-1 py-px wrap-anywhere">{text}</p>
      <button
        type="button"
        data-undo
        aria-keyshortcuts="Control+Z Meta+Z"
        title="Ctrl Z"
        onClick={undo}
        className="-my-1 mx-1.5 min-h-8 rounded-md px-2 font-semibold text-accent-text hover:bg-sunken"
      >
        Undo
      </button>
    </>
  )
}

const isWriting = (target: EventTarget | null) => (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement) && target.value !== ''

const isUnsigned = ({ client, needs }: Act) => needs === 'signature' && Boolean(client.getQueryData(meQuery.queryKey)?.totp.passkeys)

window.addEventListener('beforeunload', (event) => {
  const { sending, waiting } = useActs.getState()
  if (![...sending, ...(waiting ? [waiting] : [])].some(isUnsigned)) return
  // Who stays is asked for the signature.
  event.preventDefault()
  void sendWaiting()
})
window.addEventListener('pagehide', () => void sendWaiting({ keepalive: true }))
window.addEventListener('keydown', (event) => {
  const isUndo = event.key.toLowerCase() === 'z' && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey
  // A text that was typed is undone by the browser.
  if (!isUndo || !useActs.getState().waiting || isWriting(event.target)) return
  event.preventDefault()
  undo()
})

// What somebody began goes with their session.
useSession.subscribe(({ user }, before) => {
  if (!before.user || user?.id === before.user.id) return
  const lost = takeWaiting()
  if (lost) notify.error(`Not saved: ${lost.said}`)
  useActs.setState({ sending: [], returned: {} })
})

let askForFactor: (() => Promise<void>) | undefined

/** How the second factor is asked for before an act that needs it. */
export const onFactorNeeded = (ask: () => Promise<void>) => {
  askForFactor = ask
}

/** Whether the factor of the caller is fresh until the act is sent, or they have none. */
function isFresh(me: Me | undefined) {
  if (!me) return false
  const { enrolled, passkeys } = me.totp
  return (!enrolled && !passkeys) || Date.parse(me.stepUpUntil ?? '') > Date.now() + LONGEST_MS
}

async function takeFactor(client: QueryClient) {
  if (isFresh(client.getQueryData(meQuery.queryKey)) || isFresh(await client.fetchQuery({ ...meQuery, staleTime: 0 }))) return
  await askForFactor?.()
  void client.invalidateQueries({ queryKey: adminKeys.me })
}

type Undoable<Values> = {
  about: string
  said: (values: Values) => string
  send: (values: Values, options: CallOptions) => Promise<unknown>
  needs?: Needs
}

/** Begins an act that can be undone. Its answer is whether it began: it does not without the factor that it needs. */
export function useUndoable<Values>({ about, said, send, needs }: Undoable<Values>) {
  const client = useQueryClient()
  return async (values: Values) => {
    const act = { about, values, said: said(values), send: (options: CallOptions) => send(values, options), client, needs }
    try {
      if (needs) await takeFactor(client)
    } catch (error) {
      notify.error(messageOf(error))
      return false
    }
    begin(act)
    return true
  }
}

/** What was done about this and is not in the server's answers yet, the oldest first. */
export function usePending<Values>(about: string): Values[] {
  const { sending, waiting } = useActs()
  return [...sending, ...(waiting ? [waiting] : [])].filter((act) => act.about === about).map(({ values }) => values as Values)
}

/** What was undone or refused last, for the form that it came from. */
export const useReturned = <Values,>(about: string) => useActs(({ returned }) => returned[about] as Values | undefined)
