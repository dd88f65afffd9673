/** Whether the server can be reached, as the browser or the last call says. */
import { create } from 'zustand'

export const useConnection = create<{ isOffline: boolean }>(() => ({ isOffline: false }))

export const isOffline = () => useConnection.getState().isOffline

/** A call was answered, or was not. */
export function noteCall({ answered }: { answered: boolean }) {
  if (isOffline() === answered) useConnection.setState({ isOffline: !answered })
}

if (typeof window !== 'undefined') window.addEventListener('offline', () => noteCall({ answered: false }))
