import { act, screen, waitFor, within } from '@testing-library/react'
import { http, HttpResponse } from 'msw'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Course } from '@/features/courses/api/course'
import { nextLesson, progressOf } from '@/features/courses/progress'
import { noteCall } from '@/lib/connection'
import { useSession } from '@/lib/session'
import { currentPath, openAsMember } from '@/testing/render'
import { answers, member, records, refuses, server } from '@/testing/server'

// The pages' code is loaded before the clock of the first test runs.
beforeAll(async () => {
  await Promise.all([import('./guard'), import('./member-layout'), import('./pages/courses-page'), import('./pages/lesson-page')])
}, 60_000)

const titles = ['UGC 101', 'The affiliate program', 'Portfolios and personal branding', 'Filming', 'Editing', 'Pitching', 'Rights']

function course({ purchased = false, pending = false, done = [] as string[], certificate = undefined as Course['certificate'] } = {}): Course {
  return {
    title: 'The UGC Video Course',
    subtitle: 'From your first clip to paid work.',
    purchased,
    pending,
    ...(certificate && { certificate }),
    modules: titles.map((title, index) => ({
      number: index + 1,
      title,
      summary: `About ${title}`,
      lessons: [
        {
          id: `lesson-${index + 1}`, title: `Lesson on ${title}`, minutes: 5, preview: index === 0, locked: !purchased && index > 0, video: false,
          ...(done.includes(`lesson-${index + 1}`) && { progress: { position: 0, done: true, at: '2026-11-23T12:00:00.000Z' } }),
        },
      ],
    })),
  }
}

function open(state: Parameters<typeof course>[0] = {}, changes: Parameters<typeof openAsMember>[1] = {}) {
  server.use(answers('get', '/courses', { course: course(state) }))
  return openAsMember('/courses', { hasPurchasedCourse: state?.purchased ?? false, wallet: { balance: 100, bonus: 0, held: 0, invested: 0 }, ...changes })
}

const lesson = (markdown: string) =>
  answers('get', '/courses/lessons/:id', {
    lesson: { id: 'lesson-1', title: 'Lesson on UGC 101', moduleNumber: 1, moduleTitle: 'UGC 101', minutes: 5, markdown },
  })

describe('the course card', () => {
  it('offers lifetime access by a deposit, and to learn more [CRS-01]', async () => {
    open()
    expect(await screen.findByRole('link', { name: '$87 Lifetime access' })).toHaveAttribute('href', '/deposits?type=course&amount=87')
    expect(screen.getByRole('link', { name: 'Learn more' })).toHaveAttribute('href', '/courses')
    expect(screen.getAllByRole('article')).toHaveLength(1)
    expect(screen.getByText('over 10,300 students')).toHaveClass('first-letter:uppercase')
  })

  it('says In review while a payment is pending, and sells nothing then [D-C1]', async () => {
    open({ pending: true })
    expect(await screen.findByText('In review')).toBeVisible()
    expect(screen.queryByRole('link', { name: '$87 Lifetime access' })).toBeNull()
    expect(screen.queryByRole('button', { name: 'Pay from balance' })).toBeNull()
  })

  it('leads the owner into the lessons, and asks for the user anew [CRS-02] [D-C1]', async () => {
    open({ purchased: true }, { hasPurchasedCourse: false })
    server.use(answers('get', '/auth/check', { user: { ...member, hasPurchasedCourse: true }, token: 'fresh-token' }))
    expect(await screen.findByRole('link', { name: 'Start the course' })).toHaveAttribute('href', '/courses/lessons/lesson-1')
    expect(screen.queryByRole('link', { name: '$87 Lifetime access' })).toBeNull()
    await waitFor(() => expect(useSession.getState().user?.hasPurchasedCourse).toBe(true))
  })
})

describe('the certificate [D-C8]', () => {
  const all = titles.map((_, index) => `lesson-${index + 1}`)

  it('is offered once all lessons are done', async () => {
    open({ purchased: true, done: all.slice(1) })
    expect(await screen.findByText('6 of 7 lessons done')).toBeVisible()
    expect(screen.queryByRole('button', { name: 'Get your certificate' })).toBeNull()
  })

  it('is issued on request, and can be viewed and downloaded', async () => {
    const { user } = open({ purchased: true, done: all })
    const { seen, handler } = records('put', '/courses/certificate', { certificate: { number: 'abc-1', issuedAt: '2026-11-23T12:00:00.000Z' } })
    server.use(handler)
    await user.click(await screen.findByRole('button', { name: 'Get your certificate' }))
    expect(await screen.findByRole('link', { name: 'Download PDF' })).toHaveAttribute('href', expect.stringMatching(/\/v1\/certificates\/abc-1\.pdf$/))
    expect(screen.getByRole('link', { name: 'View' })).toHaveAttribute('href', '/certificates/abc-1')
    expect(seen).toHaveLength(1)
  })

  it('stays when the course is longer later', async () => {
    open({ purchased: true, done: [], certificate: { number: 'abc-1', issuedAt: '2026-11-23T12:00:00.000Z' } })
    expect(await screen.findByRole('link', { name: 'Download PDF' })).toBeVisible()
  })
})

describe('the curriculum', () => {
  it('shows seven modules; before the purchase only the free lesson opens [D-C1]', async () => {
    open()
    const curriculum = within(await screen.findByRole('region', { name: 'Curriculum' }))
    for (const title of titles) expect(curriculum.getByRole('heading', { name: new RegExp(title) })).toBeVisible()
    const links = curriculum.getAllByRole('link')
    expect(links).toHaveLength(1)
    expect(links[0]).toHaveTextContent('Free preview')
  })

  it('opens all modules to the owner [D-C1]', async () => {
    open({ purchased: true })
    const curriculum = within(await screen.findByRole('region', { name: 'Curriculum' }))
    expect(curriculum.getAllByRole('link')).toHaveLength(7)
  })

  it('tells a failure from an empty page, with a way to try again [D-L5]', async () => {
    server.use(refuses('get', '/courses', 404, { message: 'Not found' }))
    openAsMember('/courses')
    expect(await screen.findByRole('button', { name: 'Retry' })).toBeVisible()
  })
})

describe('buying from the balance', () => {
  it('shows the sums, then buys with one key [D-C2] [D-G4]', async () => {
    const { user } = open()
    const { seen, handler } = records('post', '/courses/purchase', {}, 201)
    server.use(handler)
    await user.click(await screen.findByRole('button', { name: 'Pay from balance' }))
    const dialog = within(screen.getByRole('dialog'))
    expect(dialog.getByText('Available balance').nextSibling).toHaveTextContent('$100.00')
    expect(dialog.getByText('Balance afterwards').nextSibling).toHaveTextContent('$13.00')
    // [U23] The minus stands close to its amount.
    expect(dialog.getByText('Lifetime access').nextSibling).toHaveClass('signed')
    expect(seen).toHaveLength(0)
    server.use(answers('get', '/courses', { course: course({ purchased: true }) }))
    await user.click(dialog.getByRole('button', { name: 'Pay $87.00' }))
    expect(await screen.findByRole('link', { name: 'Start the course' })).toBeVisible()
    expect(seen).toHaveLength(1)
    expect(seen[0]?.headers.get('Idempotency-Key')).toMatch(/.{10,}/)
  })

  it('keeps the key when no answer came, so that a repeat counts once [D-G4]', async () => {
    const { user } = open()
    const keys: (string | null)[] = []
    server.use(
      http.post(`${window.location.origin}/v1/courses/purchase`, ({ request }) => {
        keys.push(request.headers.get('Idempotency-Key'))
        return keys.length === 1 ? HttpResponse.error() : HttpResponse.json({ success: true, message: 'Done' }, { status: 201 })
      }),
    )
    await user.click(await screen.findByRole('button', { name: 'Pay from balance' }))
    await user.click(screen.getByRole('button', { name: 'Pay $87.00' }))
    await waitFor(() => expect(keys).toHaveLength(1))
    await user.click(await screen.findByRole('button', { name: 'Pay $87.00' }))
    await waitFor(() => expect(keys).toHaveLength(2))
    expect(keys[1]).toBe(keys[0])
  })

  it('cannot be begun without a connection, and says why [D-L5]', async () => {
    open()
    const button = await screen.findByRole('button', { name: 'Pay from balance' })
    act(() => noteCall({ answered: false }))
    expect(button).toBeDisabled()
    expect(button).toHaveAccessibleDescription(/You are offline/)
    act(() => noteCall({ answered: true }))
    expect(button).toBeEnabled()
  })

  it('does not offer to pay what is not there [D-C2]', async () => {
    const { user } = open({}, { wallet: { balance: 86.99, bonus: 500, held: 0, invested: 0 } })
    await user.click(await screen.findByRole('button', { name: 'Pay from balance' }))
    const dialog = within(screen.getByRole('dialog'))
    expect(dialog.getByText('Insufficient balance')).toBeVisible()
    expect(dialog.queryByRole('button', { name: /Pay \$/ })).toBeNull()
    expect(dialog.getByRole('link', { name: 'Make a deposit' })).toHaveAttribute('href', '/deposits')
  })
})

describe('the lesson reader', () => {
  it('renders Markdown and passes no HTML or script address on [D-C1]', async () => {
    server.use(answers('get', '/courses', { course: course({ purchased: true }) }))
    server.use(lesson('## A part\n\nSome **bold** text.\n\n<img src=x onerror="alert(1)"><script>alert(1)</script>\n\n[press](javascript:alert(1))'))
    const { container } = openAsMember('/courses/lessons/lesson-1')
    expect(await screen.findByRole('heading', { level: 2, name: 'A part' })).toBeVisible()
    const text = container.querySelector('article')
    expect(text?.querySelector('strong')).toHaveTextContent('bold')
    expect(text?.querySelector('script, img, [onerror]')).toBeNull()
    expect(text?.innerHTML).not.toContain('href="javascript')
  })

  it('begins a lesson, ticks it off, and keeps both on the server [D-C6]', async () => {
    server.use(answers('get', '/courses', { course: course({ purchased: true }) }), lesson('Text.'))
    type Report = { position: number; done?: boolean; at: string }
    const seen: Report[] = []
    server.use(
      http.put(`${window.location.origin}/v1/courses/lessons/lesson-1/progress`, async ({ request }) => {
        const report = (await request.json()) as Report
        seen.push(report)
        return HttpResponse.json({ success: true, progress: { position: report.position, done: report.done ?? false, at: report.at } })
      }),
    )
    const { user } = openAsMember('/courses/lessons/lesson-1', { hasPurchasedCourse: true })
    await user.click(await screen.findByRole('button', { name: 'Mark as done' }))
    expect(await screen.findByRole('button', { name: 'Done' })).toHaveAttribute('aria-pressed', 'true')
    await waitFor(() => expect(seen).toHaveLength(2))
    expect(seen).toMatchObject([{ position: 0 }, { position: 0, done: true }])
    expect(seen[0]?.done).toBeUndefined()
    expect(Date.parse(seen[0]?.at ?? '')).toBeGreaterThan(Date.now() - 60_000)
    server.use(answers('get', '/courses', { course: course({ purchased: true, done: ['lesson-1'] }) }))
    await user.click(await screen.findByRole('link', { name: 'All lessons' }))
    expect(await screen.findByText('1 of 7 lessons done')).toBeVisible()
    expect(currentPath()).toBe('/courses')
  })

  it('shows what was kept when progress cannot be saved [D-C6]', async () => {
    server.use(answers('get', '/courses', { course: course({ purchased: true }) }), lesson('Text.'))
    const { user } = openAsMember('/courses/lessons/lesson-1', { hasPurchasedCourse: true })
    const mark = await screen.findByRole('button', { name: 'Mark as done' })
    server.use(refuses('put', '/courses/lessons/:id/progress', 503, { message: 'Not now', code: 'UNAVAILABLE' }))
    await user.click(mark)
    expect(await screen.findByRole('button', { name: 'Mark as done' })).toHaveAttribute('aria-pressed', 'false')
  })

  it('tells a locked lesson from an unknown one [D-C1]', async () => {
    server.use(answers('get', '/courses', { course: course() }))
    server.use(refuses('get', '/courses/lessons/:id', 403, { message: 'This lesson comes with the course.', code: 'PERMISSION_DENIED' }))
    const { unmount } = openAsMember('/courses/lessons/lesson-2')
    expect(await screen.findByText('This lesson comes with the course')).toBeVisible()
    unmount()
    server.use(refuses('get', '/courses/lessons/:id', 404, { message: 'Not found' }))
    openAsMember('/courses/lessons/nothing')
    expect(await screen.findByText('Lesson not found')).toBeVisible()
  })
})

describe('progress', () => {
  it('continues with the lesson that was begun last, else with the first that is not done [D-C6]', () => {
    const some = course({ purchased: true, done: ['lesson-1', 'lesson-3'] })
    expect(nextLesson(some)?.id).toBe('lesson-2')
    const begun = (id: string, at: string) => ({ ...some, modules: some.modules.map((module) => ({
      ...module,
      lessons: module.lessons.map((one) => (one.id === id ? { ...one, progress: { position: 5, done: false, at } } : one)),
    })) })
    expect(nextLesson(begun('lesson-5', '2026-11-23T12:00:00.000Z'))?.id).toBe('lesson-5')
    const all = course({ purchased: true, done: titles.map((_, index) => `lesson-${index + 1}`) })
    expect(progressOf(all)).toMatchObject({ done: 7, total: 7, next: { id: 'lesson-1' } })
  })

  it('leads back into the course from the dashboard [D-C6]', async () => {
    server.use(answers('get', '/courses', { course: course({ purchased: true, done: ['lesson-1'] }) }))
    openAsMember('/dashboard', { hasPurchasedCourse: true })
    const link = await screen.findByRole('link', { name: /Continue the course/ })
    expect(link).toHaveAttribute('href', '/courses/lessons/lesson-2')
    expect(link).toHaveTextContent('1 of 7')
  })
})
