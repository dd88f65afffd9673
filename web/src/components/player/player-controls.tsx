import { Captions, CaptionsOff, Maximize, Minimize, Pause, PictureInPicture2, Play, RotateCcw, RotateCw, Volume2, VolumeX } from 'lucide-react'
import type { ReactNode, Ref } from 'react'
import { formatClock } from '@/lib/durations'
import { cx } from '../cx'
import { RATES, seekBy, seekTo, setRate, setVolume, toggleMuted, togglePictureInPicture } from './media'
import { Scrubber } from './scrubber'
import { keepSettings } from './settings'
import type { Playback } from './use-playback'
import type { Captions as Track, Strip } from './video'

type ControlsProps = {
  video: HTMLVideoElement
  playback: Playback
  captions: readonly Track[]
  /** The language of the captions that are shown. */
  language: string | null
  preview?: Strip
  isFullscreen: boolean
  hidden: boolean
  playButton: Ref<HTMLButtonElement>
  onToggle: () => void
  onFullscreen: () => void
}

/** The bar at the lower edge of the video. */
export function PlayerControls(props: ControlsProps) {
  const { video, playback, preview, hidden, playButton, onToggle, isFullscreen, onFullscreen } = props
  const { time, duration, loaded, paused, ended } = playback
  return (
    <div
      className={cx(
        'absolute inset-x-0 bottom-0 bg-linear-to-t from-screen/95 via-screen/70 to-transparent px-2 pt-4 pb-1 transition-opacity sm:px-3 sm:pt-10 sm:pb-1.5',
        hidden && 'pointer-events-none opacity-0',
      )}
    >
      <div className="px-2">
        <Scrubber time={time} duration={duration} loaded={loaded} strip={preview} onSeek={(seconds) => seekTo(video, seconds)} />
      </div>
      <div className="flex items-center">
        <Control ref={playButton} label={ended ? 'Watch again' : paused ? 'Play' : 'Pause'} onClick={onToggle}>
          {ended ? <RotateCcw aria-hidden /> : paused ? <Play aria-hidden className="fill-current" /> : <Pause aria-hidden className="fill-current" />}
        </Control>
        <Control label="Back 10 seconds" onClick={() => seekBy(video, -10)} className="hidden sm:grid">
          <RotateCcw aria-hidden />
        </Control>
        <Control label="Forward 10 seconds" onClick={() => seekBy(video, 10)} className="hidden sm:grid">
          <RotateCw aria-hidden />
        </Control>
        <Volume video={video} playback={playback} />
        <p className="tabular px-1.5 text-xs whitespace-nowrap sm:text-sm">
          <span className="sr-only">Time </span>
          {formatClock(time)} <span className="text-hero-soft">/ {formatClock(duration)}</span>
        </p>
        <div className="ms-auto flex items-center">
          <Speed video={video} rate={playback.rate} />
          <CaptionsChoice {...props} />
          {document.pictureInPictureEnabled && (
            <Control label={playback.inPicture ? 'Leave picture in picture' : 'Picture in picture'} onClick={() => void togglePictureInPicture(video)} className="hidden sm:grid">
              <PictureInPicture2 aria-hidden />
            </Control>
          )}
          <Control label={isFullscreen ? 'Leave full screen' : 'Full screen'} onClick={onFullscreen}>
            {isFullscreen ? <Minimize aria-hidden /> : <Maximize aria-hidden />}
          </Control>
        </div>
      </div>
    </div>
  )
}

const look =
  'size-10 shrink-0 place-items-center rounded-md text-hero-ink hover:bg-hero-ink/15 focus-visible:outline-hero-ink pointer-coarse:size-11 [&_svg]:size-5'

type ControlProps = { label: string; onClick: () => void; className?: string; pressed?: boolean; children: ReactNode; ref?: Ref<HTMLButtonElement> }

function Control({ label, className = 'grid', pressed, ...rest }: ControlProps) {
  return <button type="button" aria-label={label} title={label} aria-pressed={pressed} {...rest} className={cx(look, className)} />
}

function Volume({ video, playback: { muted, volume } }: Pick<ControlsProps, 'video' | 'playback'>) {
  const isSilent = muted || volume === 0
  return (
    <div className="hidden items-center sm:flex pointer-coarse:hidden">
      <Control label={isSilent ? 'Unmute' : 'Mute'} onClick={() => toggleMuted(video)}>
        {isSilent ? <VolumeX aria-hidden /> : <Volume2 aria-hidden />}
      </Control>
      <input
        type="range"
        aria-label="Volume"
        aria-valuetext={isSilent ? 'muted' : `${Math.round(volume * 100)} %`}
        min={0}
        max={1}
        step={0.05}
        value={isSilent ? 0 : volume}
        onChange={(event) => setVolume(video, event.target.valueAsNumber)}
        className="mx-1 hidden h-6 w-16 cursor-pointer accent-hero-ink md:block"
      />
    </div>
  )
}

const selectLook =
  'h-10 cursor-pointer appearance-none rounded-md bg-transparent px-2 text-center text-sm font-semibold text-hero-ink hover:bg-hero-ink/15 focus-visible:outline-hero-ink pointer-coarse:h-11 [&>option]:bg-screen'

function Speed({ video, rate }: { video: HTMLVideoElement; rate: number }) {
  return (
    <select
      aria-label="Speed"
      title="Speed"
      value={rate}
      onChange={(event) => {
        setRate(video, Number(event.target.value))
        keepSettings({ rate: Number(event.target.value) })
      }}
      className={cx(selectLook, 'tabular')}
    >
      {RATES.map((value) => (
        <option key={value} value={value}>
          {value}×
        </option>
      ))}
    </select>
  )
}

/** On or off; with several languages, a choice. */
function CaptionsChoice({ captions, language }: ControlsProps) {
  const [first, ...others] = captions
  if (!first) return null
  if (others.length === 0) {
    const isShown = language === first.language
    return (
      <Control label="Captions" pressed={isShown} onClick={() => keepSettings({ captions: isShown ? null : first.language })}>
        {isShown ? <Captions aria-hidden /> : <CaptionsOff aria-hidden className="text-hero-soft" />}
      </Control>
    )
  }
  return (
    <select
      aria-label="Captions"
      title="Captions"
      value={language ?? ''}
      onChange={(event) => keepSettings({ captions: event.target.value || null })}
      className={cx(selectLook, 'max-w-24 truncate')}
    >
      <option value="">No captions</option>
      {captions.map((track) => (
        <option key={track.language} value={track.language}>
          {track.label}
        </option>
      ))}
    </select>
  )
}
