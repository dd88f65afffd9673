/** How a member likes to watch, on this device. */
import { create } from 'zustand'
import { persist } from 'zustand/middleware'

type Settings = {
  /** The language of the captions that are shown. */
  captions: string | null
  rate: number
  volume: number
  muted: boolean
}

export const usePlayerSettings = create<Settings>()(persist<Settings>(() => ({ captions: null, rate: 1, volume: 1, muted: false }), { name: 'player' }))

export const keepSettings = (settings: Partial<Settings>) => usePlayerSettings.setState(settings)
