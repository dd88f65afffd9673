import { act, screen, waitFor, within } from '@testing-library/react'
import { HttpResponse, http } from 'msw'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openAsMember } from '@/testing/render'
import { answers, emptyBackOffice, records, refuses, server } from '@/testing/server'

// The pages' code is loaded before the clock of the first test runs.
beforeAll(async () => {
  await Promise.all([import('./pages/admin/admin-area'), import('./pages/admin/course-page'), import('@/components/markdown-text')])
}, 60_000)

const lesson = (id: string, title: string) => ({ id, title, minutes: 5, preview: false, markdown: `Text of ${title}` })

const content = {
  title: 'The course',
  subtitle: 'All of it',
  modules: [
    { title: 'First', summary: '', lessons: [lesson('one', 'Lesson one'), lesson('two', 'Lesson two')] },
    { title: 'Second', summary: '', lessons: [lesson('three', 'Lesson three')] },
  ],
}

const version = (number: number) => ({ number, lessons: 3, createdAt: '2026-11-23T12:00:00.000Z', createdByName: 'Mia' })

const studio = (changes: object = {}) =>
  answers('get', '/admin/course', { published: 2, revision: 4, content, versions: [version(2), version(1)], ...changes })

function open(...permissions: string[]) {
  server.use(
    answers('get', '/admin/me', {
      user: { id: 'x', name: 'Mia', email: 'mia@solvane.test', role: 'manager' },
      totp: { required: false, enrolled: true, passkeys: 0, recoveryCodesLeft: 10 },
      stepUpUntil: null,
      permissions: ['see', ...permissions],
    }),
  )
  return openAsMember('/admin/course', { role: 'manager', wallet: null })
}

beforeEach(() => {
  server.use(
    ...emptyBackOffice(),
    answers('get', '/admin/course/versions/:number', { content }),
    studio(),
  )
})

const manager = ['editCourse', 'publishCourse']

describe('the studio [D-C4]', () => {
  it('brings a discarded draft back [D-C4]', async () => {
    const { seen, handler } = records('put', '/admin/course/draft', { revision: 5 })
    server.use(handler, studio({ changedAt: '2026-11-23T12:00:00.000Z' }))
    const { user } = open(...manager)
    const discard = await screen.findByRole('button', { name: 'Discard the draft' })
    server.use(studio({ revision: 5, content: { ...content, title: 'As published' } }))
    await user.click(discard)
    await user.click(await screen.findByRole('button', { name: 'Undo' }))
    await waitFor(() => expect(seen.at(-1)?.body).toMatchObject({ content: { title: 'The course' } }))
    expect(seen[0]?.body).toMatchObject({ content: null })
    await waitFor(() => expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull())
  })

  it('saves what is written by itself, with the revision that was read', async () => {
    const { seen, handler } = records('put', '/admin/course/draft', { revision: 5, changedAt: '2026-11-23T12:00:00.000Z' })
    server.use(handler)
    const { user } = open(...manager)
    await user.click(await screen.findByRole('button', { name: 'Lesson two' }))
    expect(screen.getByText('What members read')).toBeVisible()
    await user.type(screen.getByLabelText('Title of the lesson'), '!')
    await user.click(screen.getByRole('switch', { name: /Free preview/ }))
    const written = { content: { modules: [{ lessons: [{}, { title: 'Lesson two!', preview: true }] }, {}] } }
    await waitFor(() => expect(seen.at(-1)?.body).toMatchObject(written), { timeout: 5_000 })
    expect(seen[0]?.body).toMatchObject({ revision: 4 })
    expect(await screen.findByText(/Draft, saved/)).toBeVisible()
    expect(screen.getByLabelText('Address')).toBeDisabled()
  })

  it('says that a picture of another site is shown as a link', async () => {
    const { user } = open(...manager)
    await user.click(await screen.findByRole('button', { name: 'Lesson two' }))
    const field = screen.getByLabelText('Text in Markdown')
    expect(field).toHaveAccessibleDescription('')
    await user.click(field)
    await user.paste(' ![A stand](https://example.com/stand.png)')
    expect(field).toHaveAccessibleDescription(/^A picture of another site is shown as a link/)
    expect(await screen.findByRole('link', { name: 'A stand' })).toBeVisible()
  })

  it('saves again by itself when the network is back', async () => {
    server.use(http.put('*/v1/admin/course/draft', () => HttpResponse.error()))
    const { user } = open(...manager)
    await user.type(await screen.findByLabelText('Title'), '!')
    expect(screen.getByText('Draft, saving… Members see version 2.')).toBeVisible()
    expect(await screen.findByText(/Draft, not saved\./, {}, { timeout: 5_000 })).toBeVisible()
    const { seen, handler } = records('put', '/admin/course/draft', { revision: 5 })
    server.use(handler)
    act(() => void window.dispatchEvent(new Event('online')))
    expect(await screen.findByText(/Draft, saved\./)).toBeVisible()
    expect(seen[0]?.body).toMatchObject({ content: { title: 'The course!' } })
  })

  it('saves again although the network was back before the broken request ended', async () => {
    let fail = () => {}
    const failed = new Promise<void>((resolve) => (fail = resolve))
    server.use(
      http.put('*/v1/admin/course/draft', async () => {
        await failed
        return HttpResponse.error()
      }),
    )
    const { user } = open(...manager)
    await user.type(await screen.findByLabelText('Title'), '!')
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    act(() => void window.dispatchEvent(new Event('online')))
    fail()
    expect(await screen.findByText(/Draft, not saved\./)).toBeVisible()
    const { seen, handler } = records('put', '/admin/course/draft', { revision: 5 })
    server.use(handler)
    expect(await screen.findByText(/Draft, saved\./)).toBeVisible()
    expect(seen[0]?.body).toMatchObject({ content: { title: 'The course!' } })
  })

  it('puts lessons in order by buttons, also across modules', async () => {
    const { seen, handler } = records('put', '/admin/course/draft', { revision: 5 })
    server.use(handler)
    const { user } = open(...manager)
    expect(await screen.findByRole('button', { name: 'Move Lesson one up' })).toBeDisabled()
    await user.click(screen.getByRole('button', { name: 'Move Lesson two down' }))
    await waitFor(() => expect(seen).toHaveLength(1), { timeout: 5_000 })
    expect(seen[0]?.body).toMatchObject({ content: { modules: [{ lessons: [{ id: 'one' }] }, { lessons: [{ id: 'two' }, { id: 'three' }] }] } })
  })

  it('says when somebody else changed the draft, and saves nothing over it', async () => {
    server.use(refuses('put', '/admin/course/draft', 409, { message: 'Changed', code: 'STALE_REVISION' }))
    const { user } = open(...manager)
    await user.type(await screen.findByLabelText('Title'), '!')
    expect(await screen.findByText('Somebody else changed the draft', {}, { timeout: 5_000 })).toBeVisible()
    expect(screen.getByRole('button', { name: 'Publish…' })).toBeDisabled()
    await user.click(screen.getByRole('button', { name: 'Load the current draft' }))
    await waitFor(() => expect(screen.getByLabelText('Title')).toHaveValue('The course'))
  })

  it('publishes with the changes in sight, and names what is not finished', async () => {
    const draft = { ...content, modules: [{ ...content.modules[0], lessons: [lesson('one', 'Lesson one'), { ...lesson('two', 'Lesson two'), markdown: 'Other' }] }, content.modules[1]] }
    server.use(studio({ content: draft, changedAt: '2026-11-23T12:00:00.000Z' }))
    server.use(
      refuses('post', '/admin/course/publish', 422, {
        message: 'Enter a text', code: 'VALIDATION_FAILED', errors: { 'modules.0.lessons.1.markdown': 'Enter a text of up to 100,000 characters.' },
      }),
    )
    const { user } = open(...manager)
    await user.click(await screen.findByRole('button', { name: 'Publish…' }))
    const dialog = within(screen.getByRole('dialog'))
    await user.click(await dialog.findByText('Lesson two'))
    expect(dialog.getByText('Text of Lesson two')).toBeInTheDocument()
    await user.click(dialog.getByRole('button', { name: 'Publish' }))
    expect(await dialog.findByText('Enter a text of up to 100,000 characters.')).toBeVisible()
    const { seen, handler } = records('post', '/admin/course/publish', { number: 3 })
    server.use(handler)
    await user.click(dialog.getByRole('button', { name: 'Publish' }))
    await waitFor(() => expect(seen).toHaveLength(1))
    expect(seen[0]?.body).toEqual({ revision: 4, published: 2 })
    expect(seen[0]?.headers.get('Idempotency-Key')).toMatch(/.{10,}/)
  })

  it('goes back to a version after a question', async () => {
    const { seen, handler } = records('post', '/admin/course/versions/:number/restore', { number: 1 })
    server.use(handler)
    const { user } = open(...manager)
    await user.click(await screen.findByRole('button', { name: /^Restore\s*version 1$/ }))
    await user.click(within(screen.getByRole('dialog')).getByRole('button', { name: /^Restore\s*version 1$/ }))
    await waitFor(() => expect(seen).toHaveLength(1))
    expect(seen[0]).toMatchObject({ path: '/v1/admin/course/versions/1/restore', body: { published: 2 } })
  })

  it('shows the draft as members read it', async () => {
    const { user } = open(...manager)
    await user.click(await screen.findByRole('button', { name: 'Preview as a member' }))
    await user.click(screen.getByRole('button', { name: /Lesson three/ }))
    expect(screen.getByRole('heading', { level: 2, name: 'Lesson three' })).toBeVisible()
    expect(await screen.findByText('Text of Lesson three')).toBeVisible()
  })

  it('lets others look and change nothing [D-O1]', async () => {
    const { user } = open()
    await user.click(await screen.findByRole('button', { name: 'Lesson one' }))
    expect(screen.getByLabelText('Title of the lesson')).toBeDisabled()
    for (const name of ['Publish…', 'Discard the draft', 'Add a module', 'Move Lesson one down', /^Restore/]) {
      expect(screen.queryByRole('button', { name })).toBeNull()
    }
  })
})
