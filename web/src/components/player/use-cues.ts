import { useEffect, useState } from 'react'

export type Cue = { start: number; end: number; text: string }

type Cues = { state: 'loading' | 'ready' | 'failed'; cues: readonly Cue[] }

const none: Cues = { state: 'loading', cues: [] }

const cuesOf = ({ cues }: TextTrack): Cue[] =>
  [...(cues ?? [])].map((cue) => ({
    start: cue.startTime,
    end: cue.endTime,
    text: (cue as VTTCue).getCueAsHTML().textContent.replace(/\s+/g, ' ').trim(),
  }))

/** What the captions of a language say, as the browser reads them. */
export function useCues(video: HTMLVideoElement | null, language: string | undefined): Cues {
  const [read, setRead] = useState<Cues & { language?: string }>(none)
  useEffect(() => {
    const element = [...(video?.querySelectorAll('track') ?? [])].find(({ srclang }) => srclang === language)
    if (!element) return
    const load = () => setRead({ state: 'ready', cues: cuesOf(element.track), language })
    const fail = () => setRead({ state: 'failed', cues: [], language })
    element.addEventListener('load', load)
    element.addEventListener('error', fail)
    if (element.track.mode === 'disabled') element.track.mode = 'hidden'
    if (element.readyState === HTMLTrackElement.LOADED) load()
    return () => {
      element.removeEventListener('load', load)
      element.removeEventListener('error', fail)
    }
  }, [video, language])
  return read.language === language ? read : none
}

/** The cue that is said at this time, or was said last. */
export function cueAt(cues: readonly Cue[], time: number): number {
  let at = -1
  for (let index = 0; index < cues.length && (cues[index]?.start ?? 0) <= time + 0.05; index++) at = index
  return at
}
