/** What the controls and keys of the player do to its video. */

/** Safari on the iPhone has no full screen but that of the video. */
type AppleVideo = HTMLVideoElement & { webkitEnterFullscreen?: () => void }

export const RATES = [0.5, 0.75, 1, 1.25, 1.5, 1.75, 2] as const

const VOLUME_STEP = 0.1

const clamped = (value: number, most: number) => Math.min(Math.max(value, 0), most)

export function seekTo(video: HTMLVideoElement, seconds: number) {
  video.currentTime = clamped(seconds, Number.isFinite(video.duration) ? video.duration : seconds)
}

export const seekBy = (video: HTMLVideoElement, seconds: number) => seekTo(video, video.currentTime + seconds)

export function setRate(video: HTMLVideoElement, rate: number) {
  video.playbackRate = rate
  // Also after the source is replaced.
  video.defaultPlaybackRate = rate
}

/** One step faster or slower. */
export function stepRate(video: HTMLVideoElement, by: -1 | 1) {
  const at = RATES.findIndex((rate) => rate >= video.playbackRate)
  setRate(video, RATES[clamped(at + by, RATES.length - 1)] ?? 1)
}

export function toggleMuted(video: HTMLVideoElement) {
  video.muted = !video.muted
}

export function setVolume(video: HTMLVideoElement, volume: number) {
  video.volume = clamped(volume, 1)
  video.muted = video.volume === 0
}

/** The volume that was chosen earlier, also if it was none. */
export function applyVolume(video: HTMLVideoElement, { volume, muted }: { volume: number; muted: boolean }) {
  video.volume = volume
  video.muted = muted
}

export const changeVolume = (video: HTMLVideoElement, by: -1 | 1) => setVolume(video, video.volume + by * VOLUME_STEP)

export async function togglePictureInPicture(video: HTMLVideoElement) {
  // A browser may refuse, for example while nothing is loaded.
  await (document.pictureInPictureElement === video ? document.exitPictureInPicture() : video.requestPictureInPicture()).catch(() => undefined)
}

export async function toggleFullscreen(frame: HTMLElement, video: AppleVideo) {
  if (document.fullscreenElement) await document.exitFullscreen()
  else if (frame.requestFullscreen) await frame.requestFullscreen().catch(() => undefined)
  else video.webkitEnterFullscreen?.()
}

/** Shows the captions of one language, or none. Hidden ones are loaded, too: the transcript is made of them. */
export function showCaptions(video: HTMLVideoElement, language: string | null) {
  for (const track of video.textTracks) track.mode = track.language === language ? 'showing' : 'hidden'
}

/** The controls with the time line. */
const CONTROLS_PX = 88
/** A line of captions is a share of the video's height, but not less than `app.css` says for phones. */
const LINE = 0.06
const SMALLEST_LINE_PX = 17

/** Raises captions of two lines above the controls while these are in sight. */
export function raiseCaptions(video: HTMLVideoElement, isRaised: boolean) {
  const lines = Math.ceil(CONTROLS_PX / Math.max(video.clientHeight * LINE, SMALLEST_LINE_PX)) + 2
  for (const track of video.textTracks) {
    for (const cue of track.cues ?? []) (cue as VTTCue).line = isRaised ? -lines : 'auto'
  }
}

export type KeyAction = 'toggle' | 'mute' | 'captions' | 'fullscreen' | { seekBy: number } | { seekTo: number } | { rate: -1 | 1 } | { volume: -1 | 1 }

const actions: Record<string, KeyAction> = {
  ' ': 'toggle', k: 'toggle', m: 'mute', c: 'captions', f: 'fullscreen',
  ArrowLeft: { seekBy: -5 }, ArrowRight: { seekBy: 5 }, j: { seekBy: -10 }, l: { seekBy: 10 },
  ArrowUp: { volume: 1 }, ArrowDown: { volume: -1 }, '<': { rate: -1 }, '>': { rate: 1 },
  Home: { seekTo: 0 }, End: { seekTo: Infinity },
}

/** What a key does, unless it is meant for the control that has the focus, or for the browser. */
export function actionOf({ key, target, altKey, ctrlKey, metaKey }: KeyboardEvent): KeyAction | undefined {
  if (altKey || ctrlKey || metaKey) return undefined
  const control = target instanceof Element ? target.closest('button, input, select') : null
  // A button is pressed by the space bar; a slider and a list have keys of their own, except where the slider is the position.
  if (control?.tagName === 'BUTTON' && key === ' ') return undefined
  if (control?.matches('input:not([name="position"]), select') && (key.length > 1 || control.tagName === 'SELECT')) return undefined
  return actions[key.length === 1 ? key.toLowerCase() : key]
}
