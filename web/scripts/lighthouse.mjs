// Prints what Lighthouse says about the public pages on a phone, over the running product (`make run`): the medians of
// three runs. Its times are reckoned from the processor's, so nothing else may run. It comes with npx:
//   npm run lighthouse [-- http://127.0.0.1:8080]
import { execFileSync } from 'node:child_process'

const base = process.argv[2] ?? process.env.STACK_URL ?? 'http://127.0.0.1:8080'
const LIGHTHOUSE = 'lighthouse@12.8.2'
const RUNS = 3
const CHROME = '--headless --no-sandbox --disable-gpu --disable-background-networking --disable-component-update --disable-sync'
const CATEGORIES = ['performance', 'accessibility', 'best-practices', 'seo']
const METRICS = { LCP: 'largest-contentful-paint', FCP: 'first-contentful-paint', CLS: 'cumulative-layout-shift', TBT: 'total-blocking-time' }

function measure(address) {
  const args = ['--yes', LIGHTHOUSE, address, '--quiet', '--output=json', `--only-categories=${CATEGORIES}`, `--chrome-flags=${CHROME}`]
  const env = { CHROME_PATH: '/usr/bin/chromium', ...process.env }
  const { audits, categories } = JSON.parse(execFileSync('npx', args, { env, encoding: 'utf8', maxBuffer: 2 ** 28, stdio: ['ignore', 'pipe', 'ignore'] }))
  const scores = CATEGORIES.map((name) => Math.round(categories[name].score * 100))
  return [...scores, ...Object.values(METRICS).map((name) => audits[name].numericValue)]
}

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]
const names = [...CATEGORIES, ...Object.keys(METRICS)]

for (const path of ['/', '/ugc-course', '/terms', '/login', '/register']) {
  const runs = Array.from({ length: RUNS }, () => measure(base + path))
  const figures = names.map((name, at) => {
    const value = median(runs.map((run) => run[at]))
    return `${name} ${name === 'CLS' ? value.toFixed(3) : Math.round(value)}`
  })
  console.log(`${path.padEnd(12)} ${figures.join(', ')}`)
}
