import { useEffect, useState } from 'react'

export type Playback = {
  time: number
  duration: number
  /** How far the video is loaded from where it is. */
  loaded: number
  paused: boolean
  ended: boolean
  /** Whether it would play, but has to wait for the network. */
  waiting: boolean
  muted: boolean
  volume: number
  rate: number
  inPicture: boolean
}

const events = [
  'timeupdate', 'durationchange', 'progress', 'play', 'playing', 'pause', 'ended', 'waiting', 'seeking', 'seeked', 'canplay',
  'volumechange', 'ratechange', 'emptied', 'enterpictureinpicture', 'leavepictureinpicture',
]

function loadedOf({ buffered, currentTime }: HTMLVideoElement) {
  for (let at = 0; at < buffered.length; at++) {
    if (buffered.start(at) <= currentTime + 0.5 && buffered.end(at) > currentTime) return buffered.end(at)
  }
  return currentTime
}

const stateOf = (video: HTMLVideoElement, duration: number): Playback => ({
  time: video.currentTime,
  duration: Number.isFinite(video.duration) && video.duration > 0 ? video.duration : duration,
  loaded: loadedOf(video),
  paused: video.paused,
  ended: video.ended,
  waiting: !video.paused && video.readyState < HTMLMediaElement.HAVE_FUTURE_DATA,
  muted: video.muted,
  volume: video.volume,
  rate: video.playbackRate,
  inPicture: document.pictureInPictureElement === video,
})

const initial: Playback = {
  time: 0, duration: 0, loaded: 0, paused: true, ended: false, waiting: false, muted: false, volume: 1, rate: 1, inPicture: false,
}

/** What the video does at present. `duration` is what the lesson says, until the video itself is loaded. */
export function usePlayback(video: HTMLVideoElement | null, duration: number): Playback {
  const [state, setState] = useState<Playback>({ ...initial, duration })
  useEffect(() => {
    if (!video) return
    const read = () => setState(stateOf(video, duration))
    for (const event of events) video.addEventListener(event, read)
    return () => {
      for (const event of events) video.removeEventListener(event, read)
    }
  }, [video, duration])
  return state
}
