import { execFileSync } from 'node:child_process'
import { appendFileSync, writeFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { formatClock } from '../src/lib/durations'
import { passes } from './support/accessible'
import { asStaff, fund, signedIn, staffSignedIn, startAs } from './support/stack'
import { expect, test } from './support/test'

/** Longer than anything that is looked at while it plays, on a slow machine too. */
const SECONDS = 180
const LESSON = 'film-with-a-phone'
const PADDING_BYTES = 160 * 1024 * 1024
/** The upload then takes longer than everything that happens during it. */
const SLOW_BYTES_PER_SECOND = 4_000_000

/** A real video that takes several requests to send: an MP4 with a box that says nothing at its end. */
function record(path: string) {
  const picture = `testsrc2=size=320x180:rate=5:duration=${SECONDS}`
  const sound = `sine=frequency=330:duration=${SECONDS}`
  execFileSync('ffmpeg', ['-v', 'error', '-y', '-f', 'lavfi', '-i', picture, '-f', 'lavfi', '-i', sound, '-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-c:a', 'aac', path])
  const box = Buffer.alloc(PADDING_BYTES)
  box.writeUInt32BE(PADDING_BYTES)
  box.write('free', 4)
  appendFileSync(path, box)
  return path
}

const captions = `WEBVTT

00:00:01.000 --> 00:00:06.000
Clean the lens first.

00:00:12.000 --> 00:00:18.000
Then find soft light.

00:02:52.000 --> 00:02:58.000
Now film something.
`

// A second try would find the video of the first.
test.describe.configure({ retries: 0 })

/** Sets how fast the page can send, and whether it can at all. */
async function networkOf(page: Page) {
  const session = await page.context().newCDPSession(page)
  const emulate = (offline: boolean, uploadThroughput: number) =>
    session.send('Network.emulateNetworkConditions', { offline, latency: 0, downloadThroughput: -1, uploadThroughput })
  return {
    cut: () => emulate(true, SLOW_BYTES_PER_SECOND),
    slow: () => emulate(false, SLOW_BYTES_PER_SECOND),
    fast: () => emulate(false, -1),
  }
}

const time = (page: Page) => page.evaluate(() => document.querySelector('video')?.currentTime ?? 0)

/** The network goes away and comes back; then the upload is paused, and the page loaded again. */
async function uploadThroughInterruptions(page: Page, title: string, file: string) {
  await page.goto('/admin/course')
  await page.getByRole('button', { name: title, exact: true }).click()
  const partArrives = () => page.waitForResponse((response) => response.request().method() === 'PATCH' && response.ok())
  const network = await networkOf(page)
  await network.slow()
  const first = partArrives()
  await page.getByLabel(/^Upload a video/).setInputFiles(file)
  await first
  await expect(page.getByText(/Draft, saved/)).toBeVisible()
  await network.cut()
  await expect(page.getByText(/^Waiting for the connection/)).toBeVisible()
  const next = partArrives()
  await network.slow()
  await next
  await page.getByRole('button', { name: 'Pause' }).click()
  await expect(page.getByText(/^Paused at/)).toBeVisible()
  await network.fast()
  await page.reload()
  await page.getByRole('button', { name: title, exact: true }).click()
  await expect(page.getByText(/The upload stopped at \d+ % of/)).toBeVisible()
  await page.getByLabel(/^Choose the file again/).setInputFiles(file)
  await expect(page.getByRole('region', { name: `Video: ${title}` })).toBeVisible({ timeout: 300_000 })
}

test('a video is uploaded through interruptions, published, bought, watched, and goes on on another device [D-C4] [D-C5] [D-C6] [D-C7]', async ({ page, another, watch }, info) => {
  test.setTimeout(600_000)
  watch.tolerate(/ERR_INTERNET_DISCONNECTED|ERR_NETWORK_IO_SUSPENDED|status of (409|403)/)
  const manager = await asStaff('manager')
  type Lesson = { id: string; title: string }
  const { content } = await manager<{ content: { modules: { lessons: Lesson[] }[] } }>('GET', '/admin/course')
  const title = content.modules.flatMap(({ lessons }) => lessons).find(({ id }) => id === LESSON)?.title ?? ''
  const file = record(info.outputPath('filming.mp4'))
  const subtitles = info.outputPath('filming.vtt')
  writeFileSync(subtitles, captions)

  await staffSignedIn(page, 'manager')
  await uploadThroughInterruptions(page, title, file)
  const { media } = await manager<{ media: { name: string; state: string }[] }>('GET', '/admin/course/media')
  expect(media.filter(({ name }) => name === 'filming.mp4')).toMatchObject([{ state: 'ready' }])

  await page.getByRole('button', { name: 'Add captions' }).click()
  await page.getByLabel('File in WebVTT or SRT').setInputFiles(subtitles)
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('button', { name: 'Remove the captions in English' })).toBeVisible()
  await passes(page, 'the studio with a video')
  await page.getByRole('button', { name: 'Publish…' }).click()
  await page.getByRole('dialog').getByText(title).click()
  await expect(page.getByRole('dialog').getByText('Video: filming.mp4')).toBeVisible()
  await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
  await expect(page.getByRole('dialog')).toHaveCount(0)

  const reader = await another()
  const member = await signedIn(reader)
  await fund(member, 100)
  await reader.goto(`/courses/lessons/${LESSON}`)
  await expect(reader.getByText('This lesson comes with the course')).toBeVisible()
  await member.api('POST', '/courses/purchase')
  await reader.reload()
  const player = reader.getByRole('region', { name: `Video: ${title}` })
  await expect(reader.getByRole('button', { name: /Clean the lens first/ })).toBeVisible()
  await passes(reader, 'a lesson with a video')
  await player.getByRole('button', { name: 'Play', exact: true }).click()
  await expect.poll(() => time(reader)).toBeGreaterThan(3)
  await passes(reader, 'a video that plays')
  await reader.getByRole('button', { name: /Then find soft light/ }).click()
  await expect.poll(() => time(reader)).toBeGreaterThan(12)
  // The controls are hidden while the mouse rests.
  await player.hover({ position: { x: 40, y: 40 } })
  await player.getByRole('button', { name: 'Pause' }).click()
  const stoppedAt = Math.floor(await time(reader))
  const keptPosition = async () => {
    const { lesson } = await member.api<{ lesson: { progress?: { position: number } } }>('GET', `/courses/lessons/${LESSON}`)
    return lesson.progress?.position
  }
  await expect.poll(keptPosition).toBe(stoppedAt)
  await reader.getByRole('radio', { name: 'Notes' }).check({ force: true })
  await reader.getByLabel('New note').fill('A window, an hour before sunset')
  await reader.getByRole('button', { name: `Add at ${formatClock(stoppedAt)}` }).click()
  await expect(reader.getByText('A window, an hour before sunset')).toBeVisible()

  // As on an iPhone: the browser plays HLS by itself.
  const elsewhere = await another()
  await elsewhere.addInitScript(() => Reflect.deleteProperty(window, 'MediaSource'))
  await startAs(elsewhere, member)
  await elsewhere.goto('/dashboard')
  await elsewhere.getByRole('link', { name: /Continue the course/ }).click()
  await elsewhere.getByRole('button', { name: `Resume at ${formatClock(stoppedAt)}` }).click()
  await expect.poll(() => time(elsewhere)).toBeGreaterThan(stoppedAt)
  expect(await elsewhere.evaluate(() => document.querySelector('video')?.currentSrc)).toContain('master.m3u8')
  await elsewhere.getByRole('button', { name: /Now film something/ }).click()
  await elsewhere.getByRole('radio', { name: 'Notes' }).check({ force: true })
  await expect(elsewhere.getByText('A window, an hour before sunset')).toBeVisible()
  // Watched to the end, it is done.
  await expect(elsewhere.getByRole('button', { name: 'Done' })).toBeVisible({ timeout: 60_000 })

  // What the other journeys read.
  await page.getByRole('button', { name: 'Restore version 1' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Restore version 1' }).click()
  await expect(page.getByText(/Members see version 1\./)).toBeVisible()
})
