import { useCallback, useEffect, useRef, useState } from 'react'
import { toApiError } from '@/lib/api-error'
import { saveDraft } from './api/studio'
import type { Content, Studio } from './api/types'

/** After the last key, before a draft is saved. */
const PAUSE_MS = 800

/** Between two attempts to save what could not be saved. */
const RETRY_MS = 5_000

/** `conflict`: somebody else changed the draft. */
export type SaveState = 'saved' | 'unsaved' | 'failed' | 'conflict'

/** The content on the screen, which is saved by itself; one request at a time, each with what is newest. */
export function useDraft(studio: Studio) {
  const [content, setContent] = useState(studio.content)
  const [state, setState] = useState<SaveState>('saved')
  const [hasDraft, setHasDraft] = useState(studio.changedAt !== undefined)
  const revision = useRef(studio.revision)
  const newest = useRef(studio.content)
  const unsaved = useRef<Content>(undefined)
  const running = useRef<Promise<void>>(undefined)
  const isOutdated = useRef(false)

  const run = useCallback(async () => {
    while (unsaved.current) {
      const written = unsaved.current
      unsaved.current = undefined
      try {
        revision.current = (await saveDraft(revision.current, written)).revision
        setHasDraft(true)
      } catch (error) {
        unsaved.current ??= written
        isOutdated.current = toApiError(error).code === 'STALE_REVISION'
        setState(isOutdated.current ? 'conflict' : 'failed')
        throw error
      }
    }
    setState('saved')
  }, [])

  /** Waits until everything is saved. */
  const flush = useCallback(() => {
    running.current ??= run().finally(() => {
      running.current = undefined
    })
    return running.current
  }, [run])

  /** Of what is newest, which a change that took a while may not have seen. */
  const change = useCallback((update: (content: Content) => Content) => {
    const next = update(newest.current)
    if (next === newest.current) return
    newest.current = next
    setContent(next)
    unsaved.current = next
    setState((before) => (before === 'conflict' ? before : 'unsaved'))
  }, [])

  /** Says the outcome by `state` alone. */
  const save = useCallback(() => {
    if (unsaved.current && !isOutdated.current) void flush().catch(() => undefined)
  }, [flush])

  useEffect(() => {
    if (state !== 'unsaved') return
    const timer = setTimeout(save, PAUSE_MS)
    return () => clearTimeout(timer)
  }, [content, state, save])

  // The network may be back while the request that it broke still waits: that one fails later, with no event to follow.
  useEffect(() => {
    if (state !== 'failed') return
    const timer = setInterval(save, RETRY_MS)
    return () => clearInterval(timer)
  }, [state, save])

  useEffect(() => {
    window.addEventListener('online', save)
    return () => window.removeEventListener('online', save)
  }, [save])

  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => {
      if (unsaved.current) event.preventDefault()
    }
    window.addEventListener('beforeunload', warn)
    return () => {
      window.removeEventListener('beforeunload', warn)
      // Leaving the page within the app.
      save()
    }
  }, [save])

  return { content, state, hasDraft, change, flush, revision: () => revision.current }
}
