import { act, screen, waitFor, within } from '@testing-library/react'
import type { DetailedError, HttpRequest, UploadOptions } from 'tus-js-client'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { attach } from '@/components/player/source'
import type { Media } from '@/features/admin-course/api/types'
import { useUploads } from '@/features/admin-course/uploads'
import { openAsMember } from '@/testing/render'
import { answers, emptyBackOffice, records, refuses, server } from '@/testing/server'

/** The transport of uploads, as a test drives it: the browser tests have the real one. */
class FakeUpload {
  static all: FakeUpload[] = []
  url: string | null = null
  starts = 0
  aborts = 0

  readonly options: Required<UploadOptions>

  constructor(options: Required<UploadOptions>) {
    this.options = options
    FakeUpload.all.push(this)
  }

  findPreviousUploads = () => Promise.resolve([])
  start() {
    this.starts++
    this.url = `${window.location.origin}/v1/admin/course/media/m1`
    this.options.onUploadUrlAvailable?.()
  }
  abort() {
    this.aborts++
    return Promise.resolve()
  }
}

vi.mock('tus-js-client', () => ({ Upload: vi.fn(function (_file: File, options: Required<UploadOptions>) { return new FakeUpload(options) }) }))
vi.mock('@/components/player/source', () => ({ prepare: vi.fn(), attach: vi.fn() }))

beforeAll(async () => {
  await Promise.all([
    import('./pages/admin/admin-area'), import('./pages/admin/course-page'), import('@/components/markdown-text'),
    import('@/features/admin-course/components/studio-player'),
  ])
}, 60_000)

type Changes = { video?: string; attachments?: { media: string; name: string }[] }

const lesson = (id: string, title: string, changes: Changes = {}) => ({ id, title, minutes: 5, preview: false, markdown: `Text of ${title}`, ...changes })

const course = (changes: Changes = {}) => ({
  title: 'The course', subtitle: 'All of it', modules: [{ title: 'First', summary: '', lessons: [lesson('one', 'Lesson one', changes), lesson('two', 'Lesson two')] }],
})

const media = (changes: Partial<Media> = {}): Media => ({
  id: 'm1', kind: 'video', name: 'intro.mp4', size: 200, state: 'uploading', offset: 0, progress: 0, captions: [], createdAt: '2026-11-24T12:00:00.000Z', ...changes,
})

const ready = media({
  state: 'ready', offset: 200, progress: 100, duration: 61.5, width: 1920, height: 1080,
  hls: '/v1/course-media/t1/master.m3u8', poster: '/v1/course-media/t1/poster.jpg',
})

const has = (file: Media) => server.use(answers('get', `/admin/course/media/${file.id}`, { media: file }))

async function open(changes: Changes = {}, permissions = ['editCourse', 'publishCourse']) {
  server.use(
    answers('get', '/admin/me', {
      user: { id: 'x', name: 'Mia', email: 'mia@solvane.test', role: 'manager' },
      totp: { required: false, enrolled: true, passkeys: 0, recoveryCodesLeft: 10 },
      stepUpUntil: null,
      permissions: ['see', ...permissions],
    }),
    answers('get', '/admin/course', { published: 2, revision: 4, content: course(changes), versions: [], changedAt: '2026-11-24T12:00:00.000Z' }),
  )
  const opened = openAsMember('/admin/course', { role: 'manager', wallet: null })
  await opened.user.click(await screen.findByRole('button', { name: 'Lesson one' }))
  return opened
}

function saves() {
  const { seen, handler } = records('put', '/admin/course/draft', { revision: 5, changedAt: '2026-11-24T12:00:00.000Z' })
  server.use(handler)
  return () => (seen.at(-1)?.body as { content: ReturnType<typeof course> } | undefined)?.content.modules[0]?.lessons
}

beforeEach(() => {
  FakeUpload.all = []
  useUploads.setState({}, true)
  vi.mocked(attach).mockResolvedValue({ detach: vi.fn() })
  server.use(
    ...emptyBackOffice(),
    answers('get', '/admin/course/versions/:number', { content: course() }),
  )
})

const file = new File(['x'.repeat(200)], 'intro.mp4', { type: 'video/mp4' })
const task = () => FakeUpload.all[0] as FakeUpload
const drive = (step: (options: Required<UploadOptions>) => void) => act(() => step(task().options))

const failure = (status: number, body: object = {}) =>
  ({ originalResponse: status ? { getStatus: () => status, getBody: () => JSON.stringify(body) } : null, causingError: null }) as unknown as DetailedError

async function send() {
  const opened = await open()
  const lessons = saves()
  has(media())
  await opened.user.upload(screen.getByLabelText(/^Upload a video/), file)
  await screen.findByRole('progressbar', { name: 'Upload of intro.mp4' })
  return { ...opened, lessons }
}

describe('uploads in the studio', () => {
  it('put the video into the draft at once, and show how far it is', async () => {
    const { lessons } = await send()
    expect(task().options.metadata).toEqual({ filename: 'intro.mp4', filetype: 'video/mp4', kind: 'video' })
    drive(({ onProgress }) => onProgress?.(100, 200))
    expect(screen.getByRole('progressbar', { name: 'Upload of intro.mp4' })).toHaveAttribute('aria-valuenow', '50')
    await waitFor(() => expect(lessons()?.[0]).toMatchObject({ id: 'one', video: 'm1' }), { timeout: 5_000 })
    has(media({ state: 'queued', offset: 200 }))
    drive(({ onSuccess }) => onSuccess?.({ lastResponse: {} as never }))
    expect(await screen.findByText('Uploaded. Waiting to be processed.')).toBeVisible()
  })

  it('carry the credentials of the session with each request [D-A10]', async () => {
    await send()
    const headers: Record<string, string> = {}
    const request = { getMethod: () => 'PATCH', getURL: () => task().url, setHeader: (name: string, value: string) => (headers[name] = value) }
    await task().options.onBeforeRequest?.(request as unknown as HttpRequest)
    expect(headers['Authorization']).toBe('Bearer fresh-token')
  })

  it('pause and go on', async () => {
    const { user } = await send()
    drive(({ onProgress }) => onProgress?.(80, 200))
    await user.click(screen.getByRole('button', { name: 'Pause' }))
    expect(screen.getByText(/^Paused at 40 % of/)).toBeVisible()
    expect(task().aborts).toBe(1)
    await user.click(screen.getByRole('button', { name: 'Resume' }))
    expect(task().starts).toBe(2)
    expect(screen.getByText(/^Uploading, 40 %/)).toBeVisible()
  })

  it('wait for the network, and go on as soon as it is back', async () => {
    await send()
    let again: boolean | undefined
    drive(({ onShouldRetry, ...options }) => (again = onShouldRetry?.(failure(0), 0, options)))
    expect(again).toBe(true)
    expect(screen.getByText(/^Waiting for the connection/)).toBeVisible()
    await act(() => Promise.resolve(window.dispatchEvent(new Event('online'))))
    await waitFor(() => expect(task().starts).toBe(2))
  })

  it('do not repeat what was refused, but say why', async () => {
    await send()
    const answersOf = [409, 429, 503, 400, 403, 404, 413, 422].map((status) => task().options.onShouldRetry?.(failure(status), 0, task().options))
    expect(answersOf).toEqual([true, true, true, false, false, false, false, false])
    drive(({ onError }) => onError?.(Object.assign(failure(413, { message: 'The file is too large.' }), { name: 'x', message: 'x' })))
    expect(await screen.findByText('The file is too large.')).toBeVisible()
    expect(screen.getByRole('button', { name: 'Retry' })).toBeVisible()
  })

  it('never begin anew because the server is busy when asked where they stopped', async () => {
    await send()
    const asked = (method: string, status: number) => () =>
      task().options.onAfterResponse?.({ getMethod: () => method } as HttpRequest, { getStatus: () => status } as never)
    for (const status of [401, 429, 503]) expect(asked('HEAD', status)).toThrow()
    for (const [method, status] of [['HEAD', 200], ['HEAD', 404], ['PATCH', 503]] as const) expect(asked(method, status)).not.toThrow()
  })

  it('are lost from sight by a reload, and go on with the same file', async () => {
    has(media({ offset: 86 }))
    const { user } = await open({ video: 'm1' })
    expect(await screen.findByText(/The upload stopped at 43 % of/)).toBeVisible()
    await user.upload(screen.getByLabelText(/^Choose the file again/), file)
    expect(await screen.findByRole('progressbar', { name: 'Upload of intro.mp4' })).toBeVisible()
  })

  it('end when they are cancelled, and the file with them', async () => {
    const { user, lessons } = await send()
    const { seen, handler } = records('delete', '/admin/course/media/m1')
    server.use(handler)
    await user.click(screen.getByRole('button', { name: 'Cancel' }))
    await waitFor(() => expect(seen).toHaveLength(1))
    expect(task().aborts).toBe(1)
    expect(await screen.findByLabelText(/^Upload a video/)).toBeInTheDocument()
    await waitFor(() => expect(lessons()?.[0]).not.toHaveProperty('video'), { timeout: 5_000 })
  })
})

describe('the video of a lesson in the studio [D-C5]', () => {
  it('shows how far its processing is, and why it failed', async () => {
    has(media({ state: 'processing', offset: 200, progress: 37 }))
    await open({ video: 'm1' })
    expect(await screen.findByRole('progressbar', { name: 'Processing of intro.mp4' })).toHaveAttribute('aria-valuenow', '37')
    has(media({ state: 'failed', offset: 200, reason: 'This file has no video track.' }))
    expect(await screen.findByText('This file has no video track.', {}, { timeout: 6_000 })).toBeVisible()
    expect(screen.getByLabelText(/^Upload another video/)).toBeInTheDocument()
  })

  it('plays as members see it, and takes captions at once [F12b]', async () => {
    has(ready)
    const { user } = await open({ video: 'm1' })
    expect(await screen.findByRole('region', { name: 'Video: Lesson one' })).toBeVisible()
    expect(screen.getByText('1:01 · 1920 × 1080 · 200 B')).toBeVisible()
    await user.click(screen.getByRole('button', { name: 'Add captions' }))
    await user.clear(screen.getByLabelText('Language code'))
    await user.type(screen.getByLabelText('Language code'), 'pt-BR')
    expect(screen.getByLabelText('Name in the player')).toHaveValue('Português (Brasil)')
    const refusal = refuses('put', '/admin/course/media/m1/captions/:language', 422, {
      message: 'Enter captions in WebVTT.', code: 'VALIDATION_FAILED', errors: { vtt: 'Enter captions in WebVTT.' },
    })
    server.use(refusal)
    await user.upload(screen.getByLabelText('File in WebVTT or SRT'), new File(['no'], 'a.vtt', { type: 'text/vtt' }))
    await user.click(screen.getByRole('button', { name: 'Save' }))
    expect(await screen.findByText('Enter captions in WebVTT.')).toBeVisible()
    const { seen, handler } = records('put', '/admin/course/media/m1/captions/pt-BR', { captions: [{ language: 'pt-BR', label: 'Português (Brasil)', url: '/c.vtt' }] })
    server.use(handler)
    await user.upload(screen.getByLabelText('File in WebVTT or SRT'), new File(['WEBVTT\n'], 'b.srt', { type: '' }))
    await user.click(screen.getByRole('button', { name: 'Save' }))
    expect(await screen.findByRole('button', { name: 'Remove the captions in Português (Brasil)' })).toBeVisible()
    expect(seen[0]?.body).toEqual({ label: 'Português (Brasil)', vtt: 'WEBVTT\n' })
  })

  it('is chosen from the library, and taken out again', async () => {
    has(ready)
    server.use(answers('get', '/admin/course/media', { media: [ready] }))
    const { user } = await open()
    const lessons = saves()
    await user.click(screen.getByRole('button', { name: 'Choose from the library' }))
    await user.click(await within(screen.getByRole('dialog')).findByRole('button', { name: /^Use\s*intro\.mp4$/ }))
    await waitFor(() => expect(lessons()?.[0]).toMatchObject({ video: 'm1' }), { timeout: 5_000 })
    await user.click(await screen.findByRole('button', { name: 'Remove' }))
    await waitFor(() => expect(lessons()?.[0]).not.toHaveProperty('video'), { timeout: 5_000 })
  })

  it('is deleted from the library after a question, unless a version has it', async () => {
    server.use(answers('get', '/admin/course/media', { media: [ready] }))
    const { user } = await open()
    await user.click(screen.getByRole('button', { name: 'Choose from the library' }))
    const dialog = within(screen.getByRole('dialog'))
    await user.click(await dialog.findByRole('button', { name: /^Delete\s*intro\.mp4$/ }))
    server.use(refuses('delete', '/admin/course/media/m1', 409, { message: 'A lesson has this file, in the draft or in a version', code: 'MEDIA_IN_USE' }))
    await user.click(dialog.getByRole('button', { name: 'Delete for good' }))
    expect(await screen.findByText('A lesson has this file, in the draft or in a version')).toBeVisible()
    server.use(answers('get', '/admin/course/media', { media: [] }))
    const { seen, handler } = records('delete', '/admin/course/media/m1')
    server.use(handler)
    await user.click(await dialog.findByRole('button', { name: /^Delete\s*intro\.mp4$/ }))
    await user.click(dialog.getByRole('button', { name: 'Delete for good' }))
    expect(await dialog.findByText('No videos yet')).toBeVisible()
    expect(seen).toHaveLength(1)
  })

  it('is among the changes before publishing, by its name [D-C4]', async () => {
    has(ready)
    server.use(answers('get', '/admin/course/media', { media: [ready] }))
    const { user } = await open({ video: 'm1' })
    await user.click(screen.getByRole('button', { name: 'Publish…' }))
    const dialog = within(screen.getByRole('dialog'))
    await user.click(await dialog.findByText('Lesson one'))
    expect(dialog.getByText('Video: intro.mp4')).toBeInTheDocument()
    expect(dialog.getByText('Video: none')).toBeInTheDocument()
  })

  it('is part of the preview as a member', async () => {
    has(ready)
    const { user } = await open({ video: 'm1', attachments: [{ media: 'm1', name: 'Shot list' }] })
    await user.click(screen.getByRole('button', { name: 'Preview as a member' }))
    await user.click(screen.getByRole('button', { name: /Lesson one/ }))
    expect(await screen.findByRole('region', { name: 'Video: Lesson one' })).toBeVisible()
    expect(within(screen.getByRole('region', { name: 'Downloads' })).getByText('Shot list')).toBeVisible()
  })

  it('can be seen, but not changed, by others [D-O1]', async () => {
    has(ready)
    await open({ video: 'm1', attachments: [{ media: 'm1', name: 'Shot list' }] }, [])
    expect(await screen.findByRole('region', { name: 'Video: Lesson one' })).toBeVisible()
    for (const name of ['Remove', 'Add captions', 'Choose from the library', 'Move Shot list down', 'Remove Shot list']) {
      expect(screen.queryByRole('button', { name })).toBeNull()
    }
    expect(screen.getByLabelText('Name of file 1')).toBeDisabled()
  })
})

describe('the downloads of a lesson in the studio [D-C5]', () => {
  it('put a picture of the library into the text [F22]', async () => {
    has(media({ kind: 'attachment', state: 'ready', type: 'image/jpeg', url: '/v1/course-media/t1/attachment' }))
    const { user } = await open({ attachments: [{ media: 'm1', name: 'Soft light [2].jpg' }] })
    const lessons = saves()
    await user.click(await screen.findByRole('button', { name: 'Put Soft light [2].jpg into the text' }))
    const markdown = 'Text of Lesson one\n\n![Soft light  2 ](media:m1)\n'
    await waitFor(() => expect(lessons()?.[0]).toMatchObject({ markdown }), { timeout: 5_000 })
    expect((await screen.findAllByRole('img', { name: /^Soft light/ }))[0]).toHaveAttribute('src', '/v1/course-media/t1/attachment')
  })

  it('have names and an order', async () => {
    has(media({ kind: 'attachment', state: 'ready' }))
    has(media({ id: 'm2', kind: 'attachment', state: 'ready' }))
    const { user } = await open({ attachments: [{ media: 'm1', name: 'One' }, { media: 'm2', name: 'Two' }] })
    const lessons = saves()
    await user.type(screen.getByLabelText('Name of file 2'), '!')
    await user.click(screen.getByRole('button', { name: 'Move Two! up' }))
    await waitFor(() => expect(lessons()?.[0]).toMatchObject({ attachments: [{ media: 'm2', name: 'Two!' }, { media: 'm1', name: 'One' }] }), { timeout: 5_000 })
    await user.click(screen.getByRole('button', { name: 'Remove One' }))
    await user.upload(screen.getByLabelText(/^Add files/), new File(['y'], 'list.pdf', { type: 'application/pdf' }))
    await waitFor(() => expect(lessons()?.[0]).toMatchObject({ attachments: [{ media: 'm2', name: 'Two!' }, { media: 'm1', name: 'list.pdf' }] }), { timeout: 5_000 })
  })
})
