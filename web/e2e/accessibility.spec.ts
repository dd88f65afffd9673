import AxeBuilder from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { fund, platformMethod, signedIn, staffSignedIn, type SignedIn } from './support/stack'
import { expect, test } from './support/test'

const themes = ['light', 'dark'] as const
const phone = { width: 360, height: 780 }
const desktop = { width: 1280, height: 860 }

const visitorPages = [
  '/', '/ugc-course', '/terms', '/privacy', '/check', '/check?number=x', '/nowhere', '/login', '/register', '/forgot-password', '/reset-password#token=x', '/help', '/status', '/solvency',
  '/verify?email=a%40b.test', '/undo#token=x', '/not-me#token=x', '/not-me',
]

/** Axe in both themes, at the present size. */
async function passes(page: Page, where: string) {
  for (const theme of themes) {
    await page.evaluate((chosen) => {
      document.documentElement.dataset['theme'] = chosen
      // The header covers a part of what lies under it.
      scrollTo({ top: 0, behavior: 'instant' })
      // The colours of the other theme fade out; what counts is where they arrive.
      for (const animation of document.getAnimations()) if (animation instanceof CSSTransition) animation.finish()
    }, theme)
    // No page has frames: the quicker mode sees everything.
    const axe = new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ['violations'] })
    const { violations } = await axe.withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']).analyze()
    const found = violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id} at ${target.join(' ')}`))
    expect(found, `${where}, ${theme}`).toEqual([])
  }
}

async function fits(page: Page, path: string) {
  const sideways = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
  expect.soft(sideways, `${path} scrolls sideways`).toBe(0)
}

async function open(page: Page, path: string) {
  await page.goto(path)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(page.getByTestId('skeleton')).toHaveCount(0)
}

/** Axe on the desktop and on a phone, and nothing to scroll sideways there. */
async function check(page: Page, path: string) {
  await page.setViewportSize(desktop)
  await open(page, path)
  for (const size of [desktop, phone]) {
    await page.setViewportSize(size)
    await passes(page, `${path}, ${size.width} px`)
  }
  await fits(page, path)
}

test.describe.configure({ timeout: 600_000 })

test('every public page passes WCAG 2.2 AA in both themes and fits 360 px [PUB-05]', async ({ page, watch }) => {
  // The server answers an unknown page with 404, which the browser reports.
  watch.tolerate(/404/)
  for (const path of visitorPages) await check(page, path)
})

test('every member page passes WCAG 2.2 AA in both themes and fits 360 px', async ({ page }) => {
  const { pages } = await livedIn(page)
  for (const path of pages) await check(page, path)
})

test('a lesson with a video and the studio pass WCAG 2.2 AA in both themes and fit 360 px [D-C4] [D-C5]', async ({ page, another }) => {
  const member = await signedIn(page)
  await withVideo(page)
  await check(page, `/courses/lessons/${await freeLesson(member)}`)
  await expect(page.getByRole('button', { name: /Find soft light/ })).toBeVisible()
  await page.getByRole('radio', { name: 'Notes' }).check({ force: true })
  await passes(page, 'the notes beside a video')
  const desk = await another()
  await staffSignedIn(desk, 'manager')
  await check(desk, '/admin/course')
  await desk.getByRole('button', { name: 'Filming with a phone, a window and a shot list', exact: true }).click()
  await expect(desk.getByLabel('Text in Markdown')).not.toBeEmpty()
  await passes(desk, 'a lesson in the studio')
  await desk.getByRole('button', { name: 'Preview as a member' }).click()
  await passes(desk, 'the preview in the studio')
})

test('the open account menu passes WCAG 2.2 AA in both themes [NAV-02]', async ({ page }) => {
  await signedIn(page)
  await open(page, '/dashboard')
  await page.getByRole('button', { name: 'Account menu' }).click()
  await expect(page.getByRole('menu')).toBeVisible()
  await passes(page, 'the open account menu')
})

test('no page scrolls sideways at 360 px, however long the words in it are', async ({ page, another }) => {
  await page.setViewportSize(phone)
  const { pages, pending, memberId, planId, caseId } = await livedIn(page)
  await withEndlessWords(page)
  for (const path of pages) {
    await open(page, path)
    await fits(page, path)
  }
  const staffPages = {
    reviewer: ['/admin', `/admin/review/${pending}`, '/admin/members', `/admin/members/${memberId}`, '/admin/proposals', '/admin/cases', `/admin/cases/${caseId}`],
    manager: ['/admin/course', '/admin/announcements'],
    admin: ['/admin/solvency', '/admin/audit', '/admin/staff', '/admin/security', '/admin/plans', `/admin/plans/${planId}`, '/admin/payment-methods', '/admin/payments', '/admin/payouts'],
  }
  for (const [name, paths] of Object.entries(staffPages)) {
    const desk = await another()
    await desk.setViewportSize(phone)
    await staffSignedIn(desk, name)
    await withEndlessWords(desk)
    for (const path of paths) {
      await open(desk, path)
      await fits(desk, path)
    }
  }
})

/** A member with a bit of everything, the pages that show it, and what waits for staff. */
async function livedIn(page: Page) {
  const member = await signedIn(page)
  await fund(member, 900)
  const { plans } = await member.api<{ plans: { id: string; title: string }[] }>('GET', '/plans')
  const planId = plans.find(({ title }) => title === 'Starter')?.id
  await member.api('POST', '/trades/create', { planId, amount: 150 })
  await member.api('PUT', '/trades/risk-answer', { version: 1 })
  const { paymentMethod } = await member.api<{ paymentMethod: { id: string } }>('POST', '/payment-methods', {
    currency: 'USDT', network: 'TRC20', address: 'TVj7RNVHy6thbM7BWdSe9G6gXwKhjhdNZS', label: 'Savings',
  })
  const request = { amount: 60, method: await platformMethod(member) }
  const { transaction } = await member.api<{ transaction: { id: string } }>('POST', '/transactions/withdraw', request)
  const { case: opened } = await member.api<{ case: { id: string } }>('POST', '/cases', { topic: 'other', text: 'When do you open?' })
  const pages = [
    '/cases', '/cases/new', `/cases/${opened.id}`, '/help', '/dashboard', '/profile', '/profile/activity', '/notices', '/deposits', '/deposits?type=course&amount=87', '/withdrawals', '/transactions',
    `/transactions/${transaction.id}`, '/courses', `/courses/lessons/${await freeLesson(member)}`, '/investments', '/investments/plans',
    `/investments/plans/${planId}`, `/investments/plans/add?planId=${planId}`, '/payment-methods', '/payment-methods/add', `/payment-methods/${paymentMethod.id}/edit`,
  ]
  return { pages, pending: transaction.id, memberId: member.id, planId, caseId: opened.id }
}

async function freeLesson(member: SignedIn) {
  const { course } = await member.api<{ course: { modules: { lessons: { id: string; preview: boolean }[] }[] } }>('GET', '/courses')
  return course.modules.flatMap(({ lessons }) => lessons).find(({ preview }) => preview)?.id
}

/** Lessons have a video, which is not played here; `course-video.spec.ts` plays a real one. */
async function withVideo(page: Page) {
  const captions = [{ language: 'en', label: 'English', url: '/v1/course-media/ticket/captions-en.vtt' }]
  const video = { hls: '/v1/course-media/ticket/master.m3u8', poster: '/favicon.svg', duration: 185, width: 1920, height: 1080, captions }
  await page.route('**/v1/course-media/**', (route) =>
    route.fulfill({ contentType: 'text/vtt', body: 'WEBVTT\n\n00:01.000 --> 00:04.000\nFind soft light.\n' }),
  )
  await page.route(/\/v1\/courses\/lessons\/[^/]+$/, async (route) => {
    const response = await route.fetch()
    const { lesson, ...rest } = (await response.json()) as { lesson: object }
    await route.fulfill({ response, json: { ...rest, lesson: { ...lesson, video } } })
  })
}

/** What people type, and what is made of it: never broken by a blank here. */
const typed = new Set(['name', 'email', 'phone', 'description', 'subtitle', 'label', 'memo', 'source', 'note', 'device', 'detail', 'holdings', 'manager', 'costs'])

async function withEndlessWords(page: Page) {
  await page.route(/\/v1\/(?!events|files)/, async (route) => {
    if (route.request().method() !== 'GET') return route.continue()
    const response = await route.fetch()
    const stretched = (_: string, value: unknown): unknown =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).map(([key, part]) => [key, typed.has(key) && typeof part === 'string' ? 'W'.repeat(150) : part]))
        : value
    await route.fulfill({ response, body: JSON.stringify(JSON.parse(await response.text()), stretched) })
  })
}
