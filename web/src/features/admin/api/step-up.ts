/** Asking for the second factor again: an action that needs it waits for the code and is then sent once more. */
import { create } from 'zustand'
import { ApiError, toApiError } from '@/lib/api-error'
import { api } from '@/lib/api-client'

type Waiting = { answer: Promise<void>; confirm: () => void; cancel: () => void }

const useWaiting = create<{ waiting: Waiting | null }>(() => ({ waiting: null }))

export const useStepUpRequest = () => useWaiting(({ waiting }) => waiting)

function askForCode(): Promise<void> {
  const open = useWaiting.getState().waiting
  if (open) return open.answer
  let confirm = () => {}
  let cancel = () => {}
  const answer = new Promise<void>((resolve, reject) => {
    confirm = resolve
    cancel = () => reject(new ApiError('Nothing was done, because no code was confirmed.'))
  }).finally(() => useWaiting.setState({ waiting: null }))
  useWaiting.setState({ waiting: { answer, confirm, cancel } })
  return answer
}

/** Sends; where a fresh code is required, asks for it and sends the very same again. */
export async function withStepUp<T>(send: () => Promise<T>): Promise<T> {
  try {
    return await send()
  } catch (error) {
    if (toApiError(error).code !== 'STEP_UP_REQUIRED') throw error
    await askForCode()
    return send()
  }
}

export const stepUp = (code: string) => api.post<{ until: string }>('/admin/me/step-up', { code })
