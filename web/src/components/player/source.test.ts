import Hls from 'hls.js/light'
import { http, HttpResponse } from 'msw'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { server } from '@/testing/server'
import { attach, type SourceError } from './source'

vi.mock('hls.js/light', () => {
  const library = vi.fn(function (this: Record<string, unknown>) {
    Object.assign(this, { on: vi.fn(), loadSource: vi.fn(), attachMedia: vi.fn(), destroy: vi.fn() })
  })
  return { default: Object.assign(library, { isSupported: () => 'MediaSource' in window, Events: {}, ErrorTypes: {} }) }
})

const PLAYLIST = '/v1/course-media/signed-for-this-member/master.m3u8'

/** A video with captions in a browser that says this about HLS, and has these parts. */
function videoIn(answer: CanPlayTypeResult, ...parts: string[]) {
  for (const part of parts) vi.stubGlobal(part, class {})
  const video = document.createElement('video')
  vi.spyOn(video, 'canPlayType').mockImplementation((type) => (type === 'application/vnd.apple.mpegurl' ? answer : ''))
  vi.spyOn(video, 'load').mockImplementation(() => undefined)
  const track = document.createElement('track')
  track.src = '/v1/course-media/signed-for-this-member/captions-en.vtt'
  video.append(track)
  return video
}

describe('the way from a playlist to the video [D-C7]', () => {
  const errors: SourceError[] = []
  const load = (video: HTMLVideoElement, position = 0) => attach(video, PLAYLIST, position, (error) => errors.push(error))
  beforeEach(() => {
    errors.length = 0
    vi.mocked(Hls).mockClear()
  })
  afterEach(() => vi.unstubAllGlobals())

  it.each([
    ['an iPhone', ['ManagedMediaSource']],
    ['an older iPhone', []],
    ['Safari on a Mac', ['MediaSource', 'ManagedMediaSource']],
  ])('is the browser’s own on %s: the signed playlist itself, beside the captions, from where the member stopped', async (_, parts) => {
    const video = videoIn('maybe', ...parts)
    const source = await load(video, 42)
    expect(video.getAttribute('src')).toBe(PLAYLIST)
    expect(Hls).not.toHaveBeenCalled()
    expect(video.currentTime).toBe(0)
    video.dispatchEvent(new Event('loadedmetadata'))
    expect(video.currentTime).toBe(42)
    expect(video.querySelector('track')).toHaveAttribute('src', '/v1/course-media/signed-for-this-member/captions-en.vtt')
    source.detach()
    expect(video).not.toHaveAttribute('src')
    expect(video.querySelector('track')).not.toBeNull()
  })

  it('is the library elsewhere, also where the browser says that it may play HLS', async () => {
    for (const answer of ['', 'maybe'] as const) {
      const video = videoIn(answer, 'MediaSource')
      await load(video, 42)
      expect(vi.mocked(Hls).mock.lastCall?.[0]).toMatchObject({ startPosition: 42 })
      expect(video).not.toHaveAttribute('src')
    }
    expect(errors).toEqual([])
  })

  it('tells the status of a playlist that was refused, which the element does not', async () => {
    vi.stubGlobal('MediaError', { MEDIA_ERR_DECODE: 3 })
    server.use(http.get(`*${PLAYLIST}`, () => new HttpResponse(null, { status: 429 })))
    const video = videoIn('maybe')
    await load(video)
    video.dispatchEvent(new Event('error'))
    await vi.waitFor(() => expect(errors).toEqual([{ kind: 'network', status: 429 }]))
  })

  it('says so where there is neither', async () => {
    await load(videoIn(''))
    expect(errors).toEqual([{ kind: 'media' }])
    expect(Hls).not.toHaveBeenCalled()
  })
})
