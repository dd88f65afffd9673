// Prints what a video of the course costs from the upload to the first picture, over a running `make run`: 200 MB are
// uploaded in the studio with three interruptions and become the video of the free lesson, which is then played and sought
// five times with empty caches. Needs ffmpeg; reads the memory of the processes of the product from /proc.
//   node scripts/course-video.mjs [http://localhost:8080] [../.stack/mail]
import { execFileSync, spawnSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, readFileSync, readdirSync, readlinkSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from '@playwright/test'

const base = process.argv[2] ?? 'http://localhost:8080'
const mails = process.argv[3] ?? fileURLToPath(new URL('../../.stack/mail', import.meta.url))
const SECONDS = 60
const BYTES = 200_000_000
/** So that the upload can be interrupted on this machine's own network, too. */
const UPLOAD_BYTES_PER_SECOND = Number(process.env.UPLOAD_BYTES_PER_SECOND ?? 20_000_000)
const RUNS = 5
const WATCHED = ['gateway', 'course']

const folder = mkdtempSync(join(tmpdir(), 'course-video-'))
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--autoplay-policy=no-user-gesture-required'],
})

async function call(method, path, body, token) {
  const headers = { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }), ...(method === 'POST' && { 'Idempotency-Key': crypto.randomUUID() }) }
  const response = await fetch(`${base}/v1${path}`, { method, headers, body: body && JSON.stringify(body) })
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
  return response.json()
}

/** 1080p with 30 pictures in a second and quiet noise, filled up to its size with a box that says nothing. */
function film() {
  const path = join(folder, 'measured.mp4')
  const sources = [`testsrc2=size=1920x1080:rate=30:duration=${SECONDS}`, `anoisesrc=color=pink:amplitude=0.1:duration=${SECONDS}`]
  const inputs = sources.flatMap((source) => ['-f', 'lavfi', '-i', source])
  execFileSync('ffmpeg', ['-v', 'error', '-y', ...inputs, '-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-c:a', 'aac', path])
  const box = Buffer.alloc(BYTES - statSync(path).size)
  box.writeUInt32BE(box.length)
  box.write('free', 4)
  appendFileSync(path, box)
  return path
}

/** The processes of the product by their names; the worker has the name of its service. */
function processes() {
  const found = readdirSync('/proc').filter((name) => /^\d+$/.test(name)).flatMap((pid) => {
    try {
      const [name, command = ''] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
      return [{ pid, name: name.split('/').pop(), command, cwd: readlinkSync(`/proc/${pid}/cwd`), listens: readFileSync(`/proc/${pid}/environ`, 'utf8').includes(new URL(base).port) }]
    } catch {
      return []
    }
  })
  const gateway = found.find(({ name, listens }) => name === 'gateway' && listens)
  return found.filter(({ name, command, cwd }) => WATCHED.includes(name) && command !== 'worker' && cwd === gateway?.cwd)
}

const memory = ({ pid }, field) => Number(readFileSync(`/proc/${pid}/status`, 'utf8').match(new RegExp(`${field}:\\s+(\\d+)`))[1]) / 1024

/** A new member, whose code comes by email. */
async function member() {
  const [email, password] = [`watches-${Date.now()}@example.test`, 'harbour-lantern-27']
  await call('POST', '/auth/register', { name: 'Wim Watches', email, phone: '+46 70 123 45 67', country: 'Sweden', password })
  for (;;) {
    const mail = readdirSync(mails).map((name) => readFileSync(join(mails, name), 'utf8')).find((text) => text.includes(email))
    const otp = mail?.match(/^(\d{6})\r?$/m)?.[1] ?? mail?.match(/(?<![\w-])(\d{6})(?![\w-])/)?.[1]
    if (otp) {
      await call('POST', '/auth/verify', { email, otp })
      return call('POST', '/auth/login', { email, password })
    }
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

const print = (text) => process.stdout.write(`${text}\n`)
const median = (numbers) => numbers.toSorted((one, other) => one - other)[numbers.length >> 1]
const ms = (numbers) => `median ${Math.round(median(numbers))} ms (${numbers.map(Math.round).join(', ')})`

async function emulate(page) {
  const session = await page.context().newCDPSession(page)
  return (offline) => session.send('Network.emulateNetworkConditions', { offline, latency: 0, downloadThroughput: -1, uploadThroughput: UPLOAD_BYTES_PER_SECOND })
}

/** Uploads the file through three interruptions: no network, a pause, and the page loaded again. Returns the id of the video. */
async function upload(page, file, title) {
  const offline = await emulate(page)
  await offline(false)
  const part = () => page.waitForResponse((response) => response.request().method() === 'PATCH' && response.ok(), { timeout: 120_000 })
  await page.goto('/admin/course')
  await page.getByRole('button', { name: title, exact: true }).click()
  const remove = page.getByRole('button', { name: 'Remove', exact: true }).first()
  await page.getByLabel('Text in Markdown').waitFor()
  if (await remove.isVisible()) await remove.click()
  const picker = page.getByLabel(/^Upload a video/)
  await picker.waitFor()
  const created = page.waitForResponse((response) => response.request().method() === 'POST' && response.url().endsWith('/admin/course/media'))
  const begun = performance.now()
  let next = part()
  await picker.setInputFiles(file)
  const id = (await (await created).headerValue('location')).split('/').pop()
  await next
  await offline(true)
  await page.getByText(/^Waiting for the connection/).waitFor()
  next = part()
  await offline(false)
  await next
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByText(/^Paused at/).waitFor()
  next = part()
  await page.getByRole('button', { name: 'Resume' }).click()
  await next
  await page.getByText(/Draft, saved/).waitFor()
  page.on('dialog', (dialog) => dialog.accept())
  await page.reload()
  await page.getByRole('button', { name: title, exact: true }).click()
  await page.getByLabel(/^Choose the file again/).setInputFiles(file)
  return { id, begun }
}

const signIn = (context, { user, token }) =>
  context.addInitScript((state) => localStorage.setItem('auth', JSON.stringify({ state, version: 0 })), { user, token })

const manager = await call('POST', '/auth/login', { email: 'manager@solvane.test', password: 'solvane-local-staff' })
const { token } = manager
const studio = await call('GET', '/admin/course', undefined, token)
const lesson = studio.content.modules.flatMap(({ lessons }) => lessons).find(({ preview }) => preview)
const file = film()
print(`${(statSync(file).size / 1e6).toFixed(0)} MB, ${SECONDS} s of 1080p; upload limited to ${UPLOAD_BYTES_PER_SECOND / 1e6} MB/s`)

const watched = processes()
for (const { pid } of watched) writeFileSync(`/proc/${pid}/clear_refs`, '5')
const before = watched.map((one) => memory(one, 'VmRSS'))
const desk = await browser.newContext({ baseURL: base, serviceWorkers: 'block' })
await signIn(desk, manager)
const { id, begun } = await upload(await desk.newPage(), file, lesson.title)
const media = async () => (await call('GET', `/admin/course/media/${id}`, undefined, token)).media
const until = async (done) => {
  for (;;) {
    const entry = await media()
    if (entry.state === 'failed') throw new Error(entry.reason)
    if (done(entry)) return performance.now()
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
const sent = await until(({ state }) => state !== 'uploading')
print(`upload with three interruptions: ${((sent - begun) / 1000).toFixed(1)} s`)
watched.forEach((one, at) => print(`${one.name}: ${before[at].toFixed(0)} MB before, at most ${memory(one, 'VmHWM').toFixed(0)} MB during the upload`))
const started = await until(({ state }) => state !== 'queued')
const ready = await until(({ state }) => state === 'ready')
print(`processing: ${((ready - started) / 1000).toFixed(1)} s, ${(SECONDS / ((ready - started) / 1000)).toFixed(2)} times real time`)
await desk.close()

const now = await call('GET', '/admin/course', undefined, token)
for (const module of now.content.modules) for (const one of module.lessons) if (one.id === lesson.id) one.video = id
const draft = await call('PUT', '/admin/course/draft', { revision: now.revision, content: now.content }, token)
await call('POST', '/admin/course/publish', { revision: draft.revision, published: now.published }, token)

const viewer = await member()
const [first, seek] = [[], []]
for (let run = 0; run < RUNS; run++) {
  const context = await browser.newContext({ baseURL: base, serviceWorkers: 'block', viewport: { width: 1280, height: 860 } })
  await signIn(context, viewer)
  const page = await context.newPage()
  await page.goto(`/courses/lessons/${lesson.id}`)
  await page.getByRole('button', { name: /^(Play|Resume)/ }).waitFor()
  // A member has read the title by then, and the code of the player is there.
  await page.waitForLoadState('networkidle').catch(() => undefined)
  first.push(await page.evaluate(() => new Promise((resolve) => {
    const video = document.querySelector('video')
    const pressed = performance.now()
    video.requestVideoFrameCallback((at) => resolve(at - pressed))
    document.querySelector('[role=region][aria-label^="Video"] > button').click()
  })))
  seek.push(await page.evaluate(() => new Promise((resolve) => {
    const video = document.querySelector('video')
    const pressed = performance.now()
    video.currentTime = 45
    video.addEventListener('seeked', () => video.requestVideoFrameCallback((at) => resolve(at - pressed)), { once: true })
  })))
  await context.close()
}
print(`first picture after Play: ${ms(first)}`)
print(`picture after a jump to second 45: ${ms(seek)}`)

const read = async (address) => Buffer.from(await (await fetch(new URL(address, base))).arrayBuffer())
const entry = await media()
const master = new URL(entry.hls, base)
const line = (text, matches) => text.toString().split('\n').filter((one) => matches.test(one))
const playlist = new URL(line(await read(master), /^[^#].*m3u8/).at(-1), master)
const text = await read(playlist)
const [, init] = text.toString().match(/URI="([^"]+)"/)
const segments = [init, ...line(text, /^[^#].*m4s/)]
writeFileSync(join(folder, 'played.mp4'), Buffer.concat(await Promise.all(segments.map((one) => read(new URL(one, playlist))))))
const { stderr } = spawnSync('ffmpeg', ['-hide_banner', '-i', join(folder, 'played.mp4'), '-map', '0:a', '-af', 'ebur128', '-f', 'null', '-'])
print(`loudness: ${stderr.toString().match(/Integrated loudness:\s+I:\s+(\S+ LUFS)/)[1]}`)
rmSync(folder, { recursive: true })
await browser.close()
