import { afterEach, describe, expect, it } from 'vitest'
import { actionOf, changeVolume, raiseCaptions, setRate, stepRate, toggleMuted } from './media'
import { frameAt } from './scrubber'
import { cueAt } from './use-cues'

afterEach(() => document.body.replaceChildren())

/** What a key does while this element has the focus. */
function press(key: string, html = '<div tabindex="-1"></div>', keys: KeyboardEventInit = {}) {
  document.body.innerHTML = html
  let action: ReturnType<typeof actionOf>
  document.body.addEventListener('keydown', (event) => (action = actionOf(event)), { once: true })
  document.body.firstElementChild?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, ...keys }))
  return action
}

describe('the keys of the player', () => {
  it('play, seek, mute, caption, change the speed and fill the screen', () => {
    expect(['k', ' ', 'm', 'c', 'f', 'K'].map((key) => press(key))).toEqual(['toggle', 'toggle', 'mute', 'captions', 'fullscreen', 'toggle'])
    expect(['ArrowLeft', 'ArrowRight', 'j', 'l'].map((key) => press(key))).toEqual([{ seekBy: -5 }, { seekBy: 5 }, { seekBy: -10 }, { seekBy: 10 }])
    expect(['<', '>', 'ArrowUp', 'ArrowDown'].map((key) => press(key))).toEqual([{ rate: -1 }, { rate: 1 }, { volume: 1 }, { volume: -1 }])
    expect(['Home', 'End'].map((key) => press(key))).toEqual([{ seekTo: 0 }, { seekTo: Infinity }])
  })

  it('leave the controls and the browser their own keys', () => {
    expect(press(' ', '<button></button>')).toBeUndefined()
    expect(press('k', '<button></button>')).toBe('toggle')
    expect(press('ArrowRight', '<input type="range" name="position">')).toEqual({ seekBy: 5 })
    expect(press('ArrowRight', '<input type="range">')).toBeUndefined()
    expect(press('m', '<select></select>')).toBeUndefined()
    expect(press('f', undefined, { ctrlKey: true })).toBeUndefined()
    expect(press('Tab')).toBeUndefined()
  })
})

describe('the video', () => {
  it('changes its speed by steps and its volume within bounds', () => {
    const video = document.createElement('video')
    stepRate(video, 1)
    expect(video.playbackRate).toBe(1.25)
    setRate(video, 2)
    stepRate(video, 1)
    expect(video.playbackRate).toBe(2)
    changeVolume(video, 1)
    expect(video.volume).toBe(1)
    toggleMuted(video)
    changeVolume(video, -1)
    expect([video.volume, video.muted]).toEqual([0.9, false])
  })

  it('finds the line that is said, and the picture of a moment', () => {
    const cues = [{ start: 1, end: 2, text: 'a' }, { start: 4, end: 6, text: 'b' }]
    expect([0, 1, 3, 4, 60].map((time) => cueAt(cues, time))).toEqual([-1, 0, 0, 1, 1])
    const strip = { url: '/strip.jpg', interval: 5, columns: 3, rows: 2, width: 160, height: 90 }
    expect(frameAt(strip, 21)).toEqual({ backgroundImage: 'url("/strip.jpg")', backgroundPosition: '-160px -90px' })
    // What is beyond the last one shows the last one.
    expect(frameAt(strip, 600).backgroundPosition).toBe('-320px -90px')
  })
})

describe('captions', () => {
  const lineAt = (height: number, isRaised: boolean) => {
    const cue = { line: 'auto' as number | 'auto' }
    raiseCaptions({ clientHeight: height, textTracks: [{ cues: [cue] }] } as unknown as HTMLVideoElement, isRaised)
    return cue.line
  }

  it('stand above the controls, with room for two lines, on a phone and on a large screen', () => {
    expect(lineAt(184, true)).toBe(-8)
    expect(lineAt(360, true)).toBe(-7)
    expect(lineAt(1080, true)).toBe(-4)
    expect(lineAt(184, false)).toBe('auto')
  })
})
