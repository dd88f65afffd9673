// Renders what browsers want as files of their own: app icons, the preview picture for links, the printable
// checklist and the course videos. Run by hand after changing the drawings or texts: node scripts/render-artwork.mjs
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { chromium } from '@playwright/test'
import { checklist, clips } from './artwork-texts.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const only = process.argv[2] ?? ''
const inline = (path, type) => `data:${type};base64,${readFileSync(root + path).toString('base64')}`
const art = (name) => inline(`src/content/artwork/${name}.svg`, 'image/svg+xml')
const font = inline('node_modules/@fontsource-variable/inter/files/inter-latin-opsz-normal.woff2', 'font/woff2')
const fontFace = `<style>@font-face{font-family:Inter;src:url(${font});font-weight:100 900}*{margin:0;box-sizing:border-box}body{font-family:Inter}</style>`

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
})

async function picture(file, width, height, html) {
  const page = await browser.newPage({ viewport: { width, height } })
  await page.setContent(fontFace + html)
  await page.evaluate(() => document.fonts.ready)
  await page.screenshot({ path: root + file, omitBackground: true })
  await page.close()
}

/** The mark of the favicon: with its own rounded corners, or full-bleed for platforms that cut their own shape. */
function icon(size, { bleed = 0 } = {}) {
  const mark = readFileSync(`${root}public/favicon.svg`, 'utf8')
  const svg = bleed
    ? mark.replace('rx="9" ', 'x="-16" y="-16" ').replace('width="32" height="32"', 'width="64" height="64"').replace('viewBox="0 0 32 32"', `viewBox="${-bleed} ${-bleed} ${32 + 2 * bleed} ${32 + 2 * bleed}"`)
    : mark
  return `<img style="display:block" width="${size}" height="${size}" src="data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}">`
}

if ('icons'.includes(only)) {
  await picture('public/icon-192.png', 192, 192, icon(192))
  await picture('public/icon-512.png', 512, 512, icon(512))
  await picture('public/icon-maskable-512.png', 512, 512, icon(512, { bleed: 4 }))
  await picture('public/apple-touch-icon.png', 180, 180, icon(180, { bleed: 1 }))
  await picture(
    'public/og.png',
    1200,
    630,
    `<div style="display:flex;width:1200px;height:630px;background:#131f4e;color:#fff">
      <div style="flex:1;padding:72px 20px 0 72px">
        <div style="display:flex;align-items:center;gap:16px;font-size:34px;font-weight:600">${icon(56)}Solvane</div>
        <p style="margin-top:96px;font-size:76px;line-height:80px;font-weight:600;letter-spacing:-.03em">Film it.<br>Get paid.<br>See every cent.</p>
      </div><img src="${art('studio')}" style="width:560px;height:630px;object-fit:cover;object-position:50% 60%"></div>`,
  )
}

if ('checklist'.includes(only)) {
  const page = await browser.newPage()
  const steps = checklist.steps.map(({ day, title, tasks }) => `<section><h2><b>${day}</b>${title}</h2>${tasks.map((task) => `<p><i></i>${task}</p>`).join('')}</section>`)
  await page.setContent(`${fontFace}<title>${checklist.title}</title><style>
    body{color:#131a33;font-size:10.4pt;line-height:14.2pt}header{display:flex;gap:7mm;align-items:center;background:#131f4e;color:#fff;border-radius:4mm;padding:7mm 8mm}
    header h1{font-size:22pt;line-height:26pt;letter-spacing:-.02em;font-weight:650}header p{margin-top:1.5mm;color:#ccd6f5}header img{width:26mm;height:26mm;border-radius:3mm;margin-left:auto}
    main{columns:2;column-gap:9mm;margin-top:7mm}section{break-inside:avoid;padding-bottom:5.5mm}h2{font-size:11.5pt;line-height:15pt;margin-bottom:1.6mm}h2 b{color:#2843b8;margin-right:2mm}
    section p{position:relative;padding-left:6.5mm;margin-bottom:1.4mm}i{position:absolute;left:0;top:.7mm;width:3.6mm;height:3.6mm;border:.4mm solid #6a7393;border-radius:.9mm}footer{color:#59617d;font-size:9pt}</style>
    <header><div><h1>${checklist.title}</h1><p>${checklist.subtitle}</p></div><img src="${art('creator')}"></header><main>${steps.join('')}</main><footer>${checklist.footer}</footer>`)
  await page.evaluate(() => document.fonts.ready)
  await page.pdf({ path: `${root}public/ugc-checklist.pdf`, format: 'A4', printBackground: true, margin: { top: '13mm', bottom: '12mm', left: '14mm', right: '14mm' } })
  await page.close()
}

if ('videos'.includes(only)) {
  mkdirSync(`${root}public/videos`, { recursive: true })
  for (const [name, slides] of Object.entries(clips)) {
    const page = await browser.newPage()
    await page.setContent(`${fontFace}<p style="font:600 20px Inter">.</p>`)
    await page.evaluate(() => document.fonts.ready)
    const prepared = slides.map((slide) => ({ ...slide, art: art(slide.art) }))
    const video = await page.evaluate(record, prepared)
    writeFileSync(`${root}public/videos/${name}.webm`, Buffer.from(video, 'base64'))
    await page.close()
  }
}

await browser.close()

/** Runs in the page: draws the slides on a canvas in real time and records them. */
async function record(slides) {
  const [width, height, fps] = [960, 540, 25]
  const canvas = Object.assign(document.createElement('canvas'), { width, height })
  document.body.append(canvas)
  const pen = canvas.getContext('2d')
  const pictures = await Promise.all(
    slides.map(async ({ art }) => {
      const image = Object.assign(new Image(), { src: art })
      await image.decode()
      return image
    }),
  )
  const ease = (t) => 1 - (1 - Math.min(1, Math.max(0, t))) ** 3

  function wrap(text, room) {
    const lines = ['']
    for (const word of text.split(' ')) {
      const longer = `${lines.at(-1)} ${word}`.trim()
      if (pen.measureText(longer).width > room && lines.at(-1)) lines.push(word)
      else lines[lines.length - 1] = longer
    }
    return lines
  }

  function draw(index, seconds) {
    const { title, points, seconds: length } = slides[index]
    const picture = pictures[index]
    const appear = ease(seconds / 0.6)
    pen.globalAlpha = 1
    pen.fillStyle = '#131f4e'
    pen.fillRect(0, 0, width, height)
    pen.save()
    pen.beginPath()
    pen.roundRect(520, 40, 400, 460, 24)
    pen.clip()
    const scale = Math.max(400 / picture.width, 460 / picture.height) * (1.02 + (0.05 * seconds) / length)
    pen.globalAlpha = appear
    pen.drawImage(picture, 720 - (picture.width * scale) / 2, 270 - (picture.height * scale) / 2, picture.width * scale, picture.height * scale)
    pen.restore()
    let y = 120
    const write = (text, style, colour, leading, delay) => {
      pen.font = style
      pen.fillStyle = colour
      const shown = ease((seconds - delay) / 0.5)
      for (const line of wrap(text, 420)) {
        pen.globalAlpha = shown
        pen.fillText(line, 48, y + (1 - shown) * 14)
        y += leading
      }
    }
    write(title, '650 40px Inter', '#ffffff', 48, 0.1)
    y += 18
    points.forEach((point, nth) => {
      write(point, '500 23px Inter', '#d3dcf8', 32, 0.7 + nth * 0.9)
      y += 12
    })
    pen.globalAlpha = 1
    pen.fillStyle = '#2f3f86'
    pen.fillRect(48, 492, 420, 4)
    pen.fillStyle = '#a9c1ff'
    pen.fillRect(48, 492, (420 * (index + seconds / length)) / slides.length, 4)
  }

  draw(0, 0)
  const type = ['video/webm;codecs=vp9', 'video/webm;codecs=vp8'].find((kind) => MediaRecorder.isTypeSupported(kind))
  const recorder = new MediaRecorder(canvas.captureStream(fps), { mimeType: type, videoBitsPerSecond: 260_000 })
  const parts = []
  recorder.ondataavailable = ({ data }) => parts.push(data)
  const stopped = new Promise((resolve) => (recorder.onstop = resolve))
  recorder.start()
  for (let index = 0; index < slides.length; index++) {
    const begin = performance.now()
    for (let at = 0; at < slides[index].seconds; at = (performance.now() - begin) / 1000) {
      draw(index, at)
      await new Promise((resolve) => setTimeout(resolve, 1000 / fps))
    }
  }
  recorder.stop()
  await stopped
  const bytes = new Uint8Array(await new Blob(parts).arrayBuffer())
  let text = ''
  for (let i = 0; i < bytes.length; i += 32_768) text += String.fromCharCode(...bytes.subarray(i, i + 32_768))
  return btoa(text)
}
