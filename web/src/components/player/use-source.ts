import { useCallback, useEffect, useRef, useState } from 'react'
import { attach, prepare, type Source, type SourceError } from './source'

/** A playlist that was refused is renewed by itself, but not over and over. */
const RENEW_AGAIN_MS = 60_000

/** The signature ran out, or the session is another one. */
const isExpired = ({ status = 0 }: SourceError) => [401, 403, 404, 410].includes(status)

/** Nothing is loaded yet: then it is where it was to begin. */
const stopOf = ({ readyState, currentTime }: HTMLVideoElement, beginning: number) =>
  readyState === HTMLMediaElement.HAVE_NOTHING ? beginning : currentTime

type Options = {
  /** The playlist as it was signed last. */
  url: string
  /** Asks for a newly signed one. */
  renew: () => Promise<string | undefined>
}

/** Loads the video when it is first played, and again where it stopped when that fails. */
export function useSource(video: HTMLVideoElement | null, { url, renew }: Options) {
  const [isStarted, setStarted] = useState(false)
  const [failure, setFailure] = useState<SourceError>()
  const source = useRef<Source>(undefined)
  const renewedAt = useRef(-RENEW_AGAIN_MS)
  const isGone = useRef(false)
  const begunAt = useRef(0)

  useEffect(() => {
    isGone.current = false
    if (video) prepare(video)
    return () => {
      isGone.current = true
      source.current?.detach()
      source.current = undefined
    }
  }, [video])

  const load = useCallback(
    async function load(address: string, position: number) {
      if (!video) return
      const reload = async () => {
        const stoppedAt = stopOf(video, position)
        renewedAt.current = performance.now()
        await load((await renew().catch(() => undefined)) ?? address, stoppedAt)
      }
      begunAt.current = position
      const fail = (error: SourceError) => {
        if (isExpired(error) && performance.now() - renewedAt.current > RENEW_AGAIN_MS) void reload()
        else setFailure(error)
      }
      setStarted(true)
      setFailure(undefined)
      source.current?.detach()
      const attached = await attach(video, address, position, fail)
      if (isGone.current) return attached.detach()
      source.current = attached
      // Refused where the browser wants another press; the controls offer it.
      await video.play().catch(() => undefined)
    },
    [video, renew],
  )

  const start = useCallback((position: number) => load(url, position), [load, url])
  const retry = useCallback(async () => {
    if (!video) return
    const stoppedAt = stopOf(video, begunAt.current)
    await load((await renew().catch(() => undefined)) ?? url, stoppedAt)
  }, [load, renew, url, video])

  return { isStarted, failure, start, retry }
}
