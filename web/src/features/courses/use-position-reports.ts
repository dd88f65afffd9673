import { useEffect } from 'react'
import { usePutProgress } from './api/put-progress'

const EVERY_MS = 10_000

/** Keeps how far the member has come on the server, for whichever device goes on [D-C6]. Watched to the end is done. */
export function usePositionReports(video: HTMLVideoElement | null, lessonId: string) {
  const { mutate: report } = usePutProgress(lessonId, { silent: true })
  useEffect(() => {
    if (!video) return
    let sentAt = performance.now()
    let sent: number | undefined
    const send = () => {
      const position = Math.floor(video.currentTime)
      if (video.readyState === HTMLMediaElement.HAVE_NOTHING || (position === sent && !video.ended)) return
      sentAt = performance.now()
      sent = position
      report({ position, ...(video.ended && { done: true }) })
    }
    const listeners: [EventTarget, string, () => void][] = [
      [video, 'timeupdate', () => !video.paused && performance.now() - sentAt >= EVERY_MS && send()],
      [video, 'play', () => (sentAt = performance.now())],
      // At the end both are reported; the second one says that it is done.
      [video, 'pause', () => !video.ended && send()],
      [video, 'ended', send],
      [document, 'visibilitychange', () => document.visibilityState === 'hidden' && send()],
      [window, 'pagehide', send],
    ]
    for (const [target, event, listener] of listeners) target.addEventListener(event, listener)
    return () => {
      for (const [target, event, listener] of listeners) target.removeEventListener(event, listener)
      if (sent !== undefined) send()
    }
  }, [video, report])
}
