import { useState, type PointerEvent } from 'react'
import { formatClock, formatSpoken } from '@/lib/durations'
import { cx } from '../cx'
import type { Strip } from './video'

type ScrubberProps = { time: number; duration: number; loaded: number; strip?: Strip; onSeek: (seconds: number) => void }

/** Where the video is, and the way to another place; a picture of it follows the pointer. */
export function Scrubber({ time, duration, loaded, strip, onSeek }: ScrubberProps) {
  const [dragged, setDragged] = useState<number>()
  const [pointed, setPointed] = useState<number>()
  const percent = (seconds: number) => `${duration > 0 ? Math.min(100, (seconds / duration) * 100) : 0}%`
  const shown = dragged ?? time
  const point = ({ clientX, currentTarget, pointerType }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect()
    if (pointerType !== 'touch' || dragged !== undefined) setPointed(Math.min(1, Math.max(0, (clientX - left) / width)) * duration)
  }
  return (
    <div
      className="group/scrubber relative flex h-6 items-center rounded-sm has-focus-visible:outline-2 has-focus-visible:outline-hero-ink pointer-coarse:h-9"
      onPointerMove={point}
      onPointerLeave={() => setPointed(undefined)}
    >
      <div className="relative h-1 flex-1 overflow-hidden rounded-full bg-hero-ink/25 transition-[height] group-hover/scrubber:h-1.5">
        <div className="absolute inset-y-0 inset-s-0 bg-hero-ink/35" style={{ width: percent(loaded) }} />
        <div className="absolute inset-y-0 inset-s-0 bg-hero-ink" style={{ width: percent(shown) }} />
      </div>
      <div
        aria-hidden
        className="pointer-events-none absolute size-3.5 -translate-x-1/2 rounded-full bg-hero-ink shadow-float"
        style={{ left: percent(shown) }}
      />
      <input
        type="range"
        name="position"
        aria-label="Position"
        aria-valuetext={`${formatSpoken(shown)} of ${formatSpoken(duration)}`}
        min={0}
        max={Math.max(duration, 1)}
        step="any"
        value={shown}
        onChange={(event) => {
          setDragged(event.target.valueAsNumber)
          onSeek(event.target.valueAsNumber)
        }}
        onPointerUp={() => setDragged(undefined)}
        onKeyUp={() => setDragged(undefined)}
        onBlur={() => setDragged(undefined)}
        className="absolute inset-0 m-0 size-full cursor-pointer opacity-0"
      />
      {pointed !== undefined && duration > 0 && <Preview at={pointed} percent={percent(pointed)} strip={strip} />}
    </div>
  )
}

function Preview({ at, percent, strip }: { at: number; percent: string; strip?: Strip }) {
  return (
    <div
      aria-hidden
      className={cx('pointer-events-none absolute bottom-full mb-1 -translate-x-1/2 overflow-hidden rounded-md bg-screen text-center shadow-float', strip && 'border border-hero-ink/30')}
      style={{ left: strip ? `clamp(${strip.width / 2}px, ${percent}, calc(100% - ${strip.width / 2}px))` : percent }}
    >
      {strip && <div style={{ width: strip.width, height: strip.height, ...frameAt(strip, at) }} />}
      <span className="tabular block px-2 py-0.5 text-xs">{formatClock(at)}</span>
    </div>
  )
}

/** The picture of a moment within the strip. */
export function frameAt({ url, interval, columns, rows, width, height }: Strip, seconds: number) {
  const index = Math.min(Math.floor(seconds / interval), columns * rows - 1)
  return {
    backgroundImage: `url(${JSON.stringify(url)})`,
    backgroundPosition: `-${(index % columns) * width}px -${Math.floor(index / columns) * height}px`,
  }
}
