import { act, screen, waitFor, within } from '@testing-library/react'
import { http, HttpResponse } from 'msw'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { usePlayerSettings } from '@/components/player/settings'
import { attach, type SourceError } from '@/components/player/source'
import type { Lesson } from '@/features/courses/api/course'
import { openAsMember } from '@/testing/render'
import { answers, records, refuses, server } from '@/testing/server'

// What loads the video: a browser test has the real one.
vi.mock('@/components/player/source', () => ({ prepare: vi.fn(), attach: vi.fn() }))

beforeAll(async () => {
  await Promise.all([import('./guard'), import('./member-layout'), import('./pages/lesson-page'), import('@/features/courses/components/video-lesson')])
}, 60_000)

const detach = vi.fn()
const cue = (start: number, text: string) => ({ startTime: start, endTime: start + 3, getCueAsHTML: () => ({ textContent: text }) })
const cues = [cue(1, 'Clean the lens first.'), cue(5, 'Then find soft light.'), cue(9, 'The lens is wide.')]
let fail: (error: SourceError) => void

beforeEach(() => {
  usePlayerSettings.setState(usePlayerSettings.getInitialState(), true)
  vi.mocked(attach).mockClear().mockImplementation((_video, _url, _position, onError) => {
    fail = onError
    return Promise.resolve({ detach })
  })
  let paused = true
  Object.defineProperty(HTMLMediaElement.prototype, 'paused', { configurable: true, get: () => paused })
  vi.spyOn(HTMLMediaElement.prototype, 'play').mockImplementation(function (this: HTMLMediaElement) {
    paused = false
    this.dispatchEvent(new Event('play'))
    return Promise.resolve()
  })
  vi.spyOn(HTMLMediaElement.prototype, 'pause').mockImplementation(function (this: HTMLMediaElement) {
    paused = true
    this.dispatchEvent(new Event('pause'))
  })
  Object.defineProperty(HTMLMediaElement.prototype, 'readyState', { configurable: true, get: () => 4 })
  Object.defineProperty(HTMLTrackElement.prototype, 'track', { configurable: true, get: () => ({ mode: 'hidden', cues }) })
})

const video = {
  hls: '/v1/course-media/t1/master.m3u8', poster: '/v1/course-media/t1/poster.jpg', duration: 185.2, width: 1920, height: 1080,
  captions: [{ language: 'en', label: 'English', url: '/v1/course-media/t1/captions-en.vtt' }],
}

const lesson = (changes: Partial<Lesson> = {}): Lesson => ({
  id: 'film', title: 'Film with a phone', moduleNumber: 4, moduleTitle: 'Filming', minutes: 5, markdown: 'Hold it **steady**.', video, ...changes,
})

const entry = (id: string, title: string) => ({ id, title, minutes: 5, preview: false, locked: false, video: true })

function open(changes: Partial<Lesson> = {}) {
  server.use(
    answers('get', '/courses', {
      course: {
        title: 'The UGC Video Course', subtitle: '', purchased: true, pending: false,
        modules: [{ number: 4, title: 'Filming', summary: '', lessons: [entry('film', 'Film with a phone'), entry('sound', 'Sound')] }],
      },
    }),
    answers('get', '/courses/lessons/:id', { lesson: lesson(changes) }),
    answers('get', '/courses/lessons/:id/notes', { notes: [] }),
    answers('put', '/courses/lessons/:id/progress', { progress: changes.progress ?? { position: 0, done: false, at: '2026-11-23T12:00:00.000Z' } }),
  )
  return openAsMember('/courses/lessons/film', { hasPurchasedCourse: true })
}

const player = async () => within(await screen.findByRole('region', { name: 'Video: Film with a phone' }))
const element = () => document.querySelector('video') as HTMLVideoElement

/** The video is at this second. */
const playTo = (seconds: number, event = 'timeupdate') =>
  act(() => {
    element().currentTime = seconds
    element().dispatchEvent(new Event(event))
  })

describe('the player of a lesson [D-C5]', () => {
  it('loads nothing of the video before it is played, then from where the member stopped on any device [D-C6]', async () => {
    const { user } = open({ progress: { position: 65, done: false, at: '2026-11-23T12:00:00.000Z' } })
    const button = await (await player()).findByRole('button', { name: 'Resume at 1:05' })
    expect(element().preload).toBe('none')
    expect(attach).not.toHaveBeenCalled()
    await user.click(button)
    expect(vi.mocked(attach).mock.calls[0]?.slice(1, 3)).toEqual([video.hls, 65])
    expect(await (await player()).findByRole('button', { name: 'Pause' })).toHaveFocus()
  })

  it('has the shape of the video', async () => {
    open({ video: { ...video, width: 1080, height: 1920 } })
    const region = await screen.findByRole('region', { name: 'Video: Film with a phone' })
    expect(region.style.aspectRatio).toBe('1080 / 1920')
  })

  it('scrolls long lines of code by themselves', async () => {
    open({ markdown: '```\na line that is much longer than a phone is wide\n```' })
    expect(await screen.findByRole('region', { name: 'Code' })).toHaveClass('overflow-x-auto')
  })

  it('begins again after it was watched to the end', async () => {
    open({ progress: { position: 184, done: true, at: '2026-11-23T12:00:00.000Z' } })
    expect(await (await player()).findByRole('button', { name: 'Play' })).toBeVisible()
  })

  it('keeps the position on the server when paused, and says done at the end [D-C6]', async () => {
    const { user } = open()
    const { seen, handler } = records('put', '/courses/lessons/film/progress', { progress: { position: 0, done: false, at: '2026-11-23T12:00:00.000Z' } })
    server.use(handler)
    await user.click(await (await player()).findByRole('button', { name: 'Play' }))
    playTo(42.7)
    await user.keyboard('k')
    await waitFor(() => expect(seen.map(({ body }) => body)).toContainEqual(expect.objectContaining({ position: 42, at: expect.any(String) as string })))
    Object.defineProperty(element(), 'ended', { value: true })
    playTo(185, 'ended')
    await waitFor(() => expect(seen.at(-1)?.body).toMatchObject({ position: 185, done: true }))
    expect(within(screen.getByRole('region', { name: /^Video/ })).getByRole('link', { name: /Continue/ })).toHaveAttribute('href', '/courses/lessons/sound')
  })

  it('says which limit was met, and loads a newly signed playlist on Retry [D-C7]', async () => {
    const { user } = open()
    await user.click(await (await player()).findByRole('button', { name: 'Play' }))
    await waitFor(() => expect(attach).toHaveBeenCalledTimes(1))
    playTo(30)
    act(() => fail({ kind: 'network', status: 429 }))
    expect(await screen.findByRole('alert')).toHaveTextContent('Three videos can play at the same time.')
    server.use(answers('get', '/courses/lessons/:id', { lesson: lesson({ video: { ...video, hls: '/v1/course-media/t2/master.m3u8' } }) }))
    await user.click(screen.getByRole('button', { name: 'Retry' }))
    await waitFor(() => expect(attach).toHaveBeenCalledTimes(2))
    expect(vi.mocked(attach).mock.calls[1]?.slice(1, 3)).toEqual(['/v1/course-media/t2/master.m3u8', 30])
    expect(screen.queryByRole('alert')).toBeNull()
  })

  it('still begins where the member stopped when the first try was refused [D-C6]', async () => {
    const { user } = open({ progress: { position: 65, done: false, at: '2026-11-23T12:00:00.000Z' } })
    Object.defineProperty(HTMLMediaElement.prototype, 'readyState', { configurable: true, get: () => 0 })
    await user.click(await (await player()).findByRole('button', { name: 'Resume at 1:05' }))
    await waitFor(() => expect(attach).toHaveBeenCalledTimes(1))
    act(() => fail({ kind: 'network', status: 429 }))
    await user.click(await screen.findByRole('button', { name: 'Retry' }))
    await waitFor(() => expect(vi.mocked(attach).mock.calls[1]?.[2]).toBe(65))
  })

  it('renews a playlist that ran out by itself, once [D-C7]', async () => {
    const { user } = open()
    await user.click(await (await player()).findByRole('button', { name: 'Play' }))
    await waitFor(() => expect(attach).toHaveBeenCalledTimes(1))
    server.use(answers('get', '/courses/lessons/:id', { lesson: lesson({ video: { ...video, hls: '/v1/course-media/t2/master.m3u8' } }) }))
    act(() => fail({ kind: 'network', status: 404 }))
    await waitFor(() => expect(attach).toHaveBeenCalledTimes(2))
    expect(vi.mocked(attach).mock.calls[1]?.[1]).toBe('/v1/course-media/t2/master.m3u8')
    act(() => fail({ kind: 'network', status: 404 }))
    expect(await screen.findByRole('alert')).toHaveTextContent('This video is not available')
    expect(attach).toHaveBeenCalledTimes(2)
  })

  it('remembers the speed and the captions on this device', async () => {
    const { user, unmount } = open()
    await user.click(await (await player()).findByRole('button', { name: 'Play' }))
    await user.selectOptions((await player()).getByRole('combobox', { name: 'Speed' }), '1.5')
    await user.click((await player()).getByRole('button', { name: 'Captions' }))
    expect((await player()).getByRole('button', { name: 'Captions' })).toHaveAttribute('aria-pressed', 'true')
    unmount()
    open()
    await player()
    await waitFor(() => expect(element().playbackRate).toBe(1.5))
  })

  it('is not there for a lesson without a video', async () => {
    open({ video: undefined })
    expect(await screen.findByText('5 minutes to read')).toBeVisible()
    expect(document.querySelector('video')).toBeNull()
  })
})

describe('notes beside the player', () => {
  const note = (id: string, position: number, text: string) => ({ id, position, text, createdAt: '2026-11-23T12:00:00.000Z', updatedAt: '2026-11-23T12:00:00.000Z' })

  it('are written at a moment, lead back to it, and can be changed and deleted', async () => {
    const { user } = open()
    server.use(answers('get', '/courses/lessons/:id/notes', { notes: [note('n1', 12, 'Use the rear camera')] }))
    await user.click(await screen.findByRole('radio', { name: 'Notes' }))
    expect(await screen.findByText('Use the rear camera')).toBeVisible()
    await user.click(await (await player()).findByRole('button', { name: 'Play' }))
    playTo(75)
    const added = records('post', '/courses/lessons/film/notes', { note: note('n2', 75, 'Lock the exposure') })
    server.use(added.handler)
    await user.type(screen.getByLabelText('New note'), 'Lock the exposure')
    await user.click(screen.getByRole('button', { name: 'Add at 1:15' }))
    expect(await screen.findByText('Lock the exposure')).toBeVisible()
    expect(added.seen[0]?.body).toEqual({ position: 75, text: 'Lock the exposure' })
    expect(screen.getByLabelText('New note')).toHaveValue('')

    await user.click(screen.getByRole('button', { name: 'Go to 12 seconds' }))
    expect(element().currentTime).toBe(12)

    const changed = records('put', '/courses/lessons/film/notes/n1', { note: note('n1', 12, 'Use the rear camera!') })
    server.use(changed.handler)
    await user.click(screen.getByRole('button', { name: 'Edit the note at 0:12' }))
    await user.type(screen.getByLabelText('Note at 0:12'), '!')
    await user.click(screen.getByRole('button', { name: 'Save' }))
    expect(await screen.findByText('Use the rear camera!')).toBeVisible()
    const removed = records('delete', '/courses/lessons/film/notes/n2')
    server.use(removed.handler)
    await user.click(screen.getByRole('button', { name: 'Delete the note at 1:15' }))
    await user.click(await screen.findByRole('button', { name: 'Delete' }))
    await waitFor(() => expect(screen.queryByText('Lock the exposure')).toBeNull())
  })

  it('keep what was written when it cannot be saved', async () => {
    const { user } = open()
    server.use(refuses('post', '/courses/lessons/:id/notes', 409, { message: 'A lesson has room for 100 notes; remove one first', code: 'TOO_MANY_NOTES' }))
    await user.click(await screen.findByRole('radio', { name: 'Notes' }))
    await user.type(await screen.findByLabelText('New note'), 'One more')
    await user.click(screen.getByRole('button', { name: /^Add at/ }))
    expect(await screen.findByText('A lesson has room for 100 notes; remove one first')).toBeVisible()
    expect(screen.getByLabelText('New note')).toHaveValue('One more')
  })
})

describe('the transcript', () => {
  it('is searched, and leads to what was said', async () => {
    const { user } = open()
    const panel = within(await screen.findByRole('region', { name: 'Transcript and notes' }))
    act(() => void document.querySelector('track')?.dispatchEvent(new Event('load')))
    expect(await panel.findByRole('button', { name: /find soft light/ })).toBeVisible()
    await user.type(panel.getByLabelText('Search the transcript'), 'lens')
    expect(panel.getByRole('status')).toHaveTextContent('2 places found')
    expect(panel.queryByRole('button', { name: /soft light/ })).toBeNull()
    await user.click(panel.getByRole('button', { name: /The lens is wide/ }))
    // Not begun yet: it is, from there.
    await waitFor(() => expect(vi.mocked(attach).mock.calls[0]?.[2]).toBe(9))
    await user.clear(panel.getByLabelText('Search the transcript'))
    playTo(6)
    expect(panel.getByRole('button', { name: /soft light/ })).toHaveAttribute('aria-current', 'true')
  })

  it('says when it cannot be loaded', async () => {
    open()
    await screen.findByRole('region', { name: 'Transcript and notes' })
    act(() => void document.querySelector('track')?.dispatchEvent(new Event('error')))
    expect(await screen.findByText(/The transcript could not be loaded/)).toBeVisible()
  })
})

describe('downloads', () => {
  it('are listed with name and size below the text [D-C5]', async () => {
    open({ video: undefined, attachments: [{ media: 'm1', name: 'Shot list.pdf', size: 20_480, type: 'application/pdf', url: '/v1/course-media/t1/attachment' }] })
    const link = await screen.findByRole('link', { name: /Shot list\.pdf/ })
    expect(link).toHaveAttribute('href', '/v1/course-media/t1/attachment')
    expect(link).toHaveTextContent('20 KB')
    server.use(http.get('*/v1/course-media/*', () => HttpResponse.text('')))
  })
})

it('shows a picture of the library in the text, and not among the downloads [F22]', async () => {
  open({
    video: undefined,
    markdown: 'Look:\n\n![Soft light from a window](media:m1)',
    attachments: [
      { media: 'm1', name: 'window.jpg', size: 20_480, type: 'image/jpeg', url: '/v1/course-media/t1/attachment' },
      { media: 'm2', name: 'Shot list.pdf', size: 20_480, type: 'application/pdf', url: '/v1/course-media/t2/attachment' },
    ],
  })
  expect(await screen.findByRole('img', { name: 'Soft light from a window' })).toHaveAttribute('src', '/v1/course-media/t1/attachment')
  expect(screen.getByRole('link', { name: /Shot list\.pdf/ })).toBeVisible()
  expect(screen.queryByRole('link', { name: /window\.jpg/ })).toBeNull()
})

describe('the curriculum', () => {
  it('shows how far a video was watched [D-C6]', async () => {
    const begun = { ...entry('film', 'Film with a phone'), progress: { position: 65, done: false, at: '2026-11-23T12:00:00.000Z' } }
    server.use(
      answers('get', '/courses', {
        course: { title: 'The UGC Video Course', subtitle: '', purchased: true, pending: false, modules: [{ number: 4, title: 'Filming', summary: '', lessons: [begun] }] },
      }),
    )
    openAsMember('/courses', { hasPurchasedCourse: true })
    expect(await screen.findByText('Stopped at 1:05')).toBeVisible()
    expect(screen.getByRole('link', { name: 'Continue at 1:05' })).toHaveAttribute('href', '/courses/lessons/film')
  })
})
