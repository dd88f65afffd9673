import { Play, RotateCw } from 'lucide-react'
import { useEffect, useRef, useState, type KeyboardEvent, type MouseEvent, type ReactNode, type RefObject } from 'react'
import { formatClock } from '@/lib/durations'
import { Button } from '../button'
import { cx } from '../cx'
import { Spinner } from '../spinner'
import { actionOf, applyVolume, changeVolume, raiseCaptions, seekBy, seekTo, setRate, showCaptions, stepRate, toggleFullscreen, toggleMuted, type KeyAction } from './media'
import { PlayerControls } from './player-controls'
import { keepSettings, usePlayerSettings } from './settings'
import type { SourceError } from './source'
import { useIdle } from './use-idle'
import type { Playback } from './use-playback'
import type { useSource } from './use-source'
import { shapeOf, type Video } from './video'

type VideoPlayerProps = {
  title: string
  video: Video
  element: HTMLVideoElement | null
  onElement: (element: HTMLVideoElement | null) => void
  playback: Playback
  source: ReturnType<typeof useSource>
  /** Where playing begins. */
  startAt: number
  /** Shown over the last picture. */
  ending?: ReactNode
}

/** The video with its controls. Its keys work while the focus is inside it. */
export function VideoPlayer({ title, video, element, onElement, playback, source, startAt, ending }: VideoPlayerProps) {
  const frame = useRef<HTMLDivElement>(null)
  const playButton = useRef<HTMLButtonElement>(null)
  const isFullscreen = useFullscreen(frame)
  const { isStarted, failure } = source
  const { isIdle, stir, rest } = useIdle(isStarted && !playback.paused)
  const language = useSettings(element, playback, video.captions.map((track) => track.language))
  useEffect(() => {
    if (!element) return
    const raise = () => raiseCaptions(element, isStarted && !isIdle)
    raise()
    // Of a track inside the video, which does not tell its parents otherwise.
    element.addEventListener('load', raise, true)
    return () => element.removeEventListener('load', raise, true)
  }, [element, isStarted, isIdle])
  useEffect(() => {
    // The button that had the focus is gone.
    if (isStarted) playButton.current?.focus({ preventScroll: true })
  }, [isStarted])

  const toggle = () => {
    if (!element) return
    if (!isStarted) void source.start(startAt)
    else if (element.paused) void element.play().catch(() => undefined)
    else element.pause()
  }
  const goFullscreen = () => element && frame.current && void toggleFullscreen(frame.current, element)
  const press = (event: KeyboardEvent) => {
    stir()
    const action = actionOf(event.nativeEvent)
    if (!element || !action) return
    event.preventDefault()
    if (action === 'toggle') toggle()
    else if (action === 'fullscreen') goFullscreen()
    else if (action === 'captions') keepSettings({ captions: language === null ? (video.captions[0]?.language ?? null) : null })
    else act(element, action)
  }
  const tap = (event: MouseEvent) => {
    // The first tap of a finger shows the controls, the next one hides them.
    const isTouch = 'pointerType' in event.nativeEvent && event.nativeEvent.pointerType === 'touch'
    if (!isTouch) toggle()
    else if (isIdle) stir()
    else rest()
  }

  return (
    <div
      ref={frame}
      role="region"
      aria-label={`Video: ${title}`}
      onKeyDown={press}
      onPointerMove={(event) => event.pointerType !== 'touch' && stir()}
      onFocus={stir}
      style={isFullscreen ? undefined : shapeOf(video)}
      className={cx('relative mx-auto w-full overflow-hidden bg-screen text-hero-ink', isFullscreen ? '' : 'rounded-lg', isIdle && 'cursor-none')}
    >
      <video ref={onElement} poster={video.poster} preload="none" playsInline onClick={isStarted ? tap : undefined} className="size-full object-contain">
        {video.captions.map((track) => (
          <track key={track.language} kind="captions" src={track.url} srcLang={track.language} label={track.label} />
        ))}
      </video>
      {!isStarted && <BigButton startAt={startAt} duration={video.duration} onPlay={toggle} />}
      {isStarted && !failure && playback.waiting && (
        <div role="status" className="pointer-events-none absolute inset-0 grid place-items-center [&_svg]:size-10">
          <Spinner />
          <span className="sr-only">Loading</span>
        </div>
      )}
      {isStarted && playback.ended && !failure && ending}
      {isStarted && element && !failure && (
        <PlayerControls
          video={element}
          playback={playback}
          captions={video.captions}
          language={language}
          preview={video.preview}
          isFullscreen={isFullscreen}
          hidden={isIdle}
          playButton={playButton}
          onToggle={toggle}
          onFullscreen={goFullscreen}
        />
      )}
      {failure && <Failure failure={failure} onRetry={source.retry} />}
    </div>
  )
}

function act(video: HTMLVideoElement, action: Exclude<KeyAction, string> | 'mute') {
  if (action === 'mute') toggleMuted(video)
  else if ('seekBy' in action) seekBy(video, action.seekBy)
  else if ('seekTo' in action) seekTo(video, action.seekTo)
  else if ('volume' in action) changeVolume(video, action.volume)
  else {
    stepRate(video, action.rate)
    keepSettings({ rate: video.playbackRate })
  }
}

function BigButton({ startAt, duration, onPlay }: { startAt: number; duration: number; onPlay: () => void }) {
  const label = startAt > 0 ? `Resume at ${formatClock(startAt)}` : `Play, ${formatClock(duration)}`
  return (
    <button type="button" onClick={onPlay} aria-label={startAt > 0 ? label : 'Play'} className="group absolute inset-0 grid place-items-center focus-visible:-outline-offset-4 focus-visible:outline-hero-ink">
      <span className="grid size-16 place-items-center rounded-full bg-hero/90 shadow-float transition-transform group-hover:scale-105 sm:size-20">
        <Play aria-hidden className="ms-1 size-7 fill-current sm:size-8" />
      </span>
      <span aria-hidden className="tabular absolute inset-e-3 bottom-3 rounded-md bg-screen/80 px-2 py-1 text-sm font-medium">
        {startAt > 0 ? label : formatClock(duration)}
      </span>
    </button>
  )
}

/** What happened and what helps [D-C7]. */
function explain({ kind, status }: SourceError) {
  if (status === 429) return ['You are watching on other devices', 'Three videos can play at the same time. Stop one of them, wait half a minute and retry.']
  if (status === 403) return ['This video comes with the course', 'You do not have access to it any more.']
  if (status === 404) return ['This video is not available', 'Reload the page. If you signed out elsewhere, log in again.']
  if (kind === 'media') return ['This video cannot be played', 'Your browser could not decode it. Retry, or use another browser.']
  return ['The connection was lost', 'Check your connection and retry. You continue where you stopped.']
}

function Failure({ failure, onRetry }: { failure: SourceError; onRetry: () => Promise<void> }) {
  const [title, advice] = explain(failure)
  return (
    <div role="alert" className="absolute inset-0 grid place-content-center justify-items-center gap-1 bg-screen/90 p-4 text-center">
      <p className="font-semibold">{title}</p>
      <p className="max-w-sm text-sm text-hero-soft">{advice}</p>
      <Button variant="hero" size="sm" className="mt-3" onClick={onRetry} icon={<RotateCw aria-hidden className="size-4" />}>
        Retry
      </Button>
    </div>
  )
}

function useFullscreen(frame: RefObject<HTMLElement | null>) {
  const [isOn, setOn] = useState(false)
  useEffect(() => {
    const read = () => setOn(document.fullscreenElement !== null && document.fullscreenElement === frame.current)
    document.addEventListener('fullscreenchange', read)
    return () => document.removeEventListener('fullscreenchange', read)
  }, [frame])
  return isOn
}

/** Applies what the member chose earlier, and keeps what is chosen now. The language of the captions, if they are shown. */
function useSettings(element: HTMLVideoElement | null, { volume, muted }: Playback, languages: readonly string[]) {
  const chosen = usePlayerSettings((settings) => settings.captions)
  const language = chosen !== null && languages.includes(chosen) ? chosen : null
  useEffect(() => {
    if (!element) return
    const kept = usePlayerSettings.getState()
    setRate(element, kept.rate)
    applyVolume(element, kept)
  }, [element])
  useEffect(() => {
    if (element) showCaptions(element, language)
  }, [element, language])
  useEffect(() => {
    if (element && element.readyState > 0) keepSettings({ volume, muted })
  }, [element, volume, muted])
  return language
}
