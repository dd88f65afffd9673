import { defineConfig } from '@playwright/test'

/** The journeys run over the real product; `deploy/stack` says where it is. */
export default defineConfig({
  testDir: 'e2e',
  outputDir: 'e2e/.results',
  timeout: 120_000,
  expect: { timeout: 20_000 },
  workers: 1,
  // A journey that failed is walked once more: what a busy machine delays is reported as flaky, what is broken fails again.
  retries: 1,
  reporter: [['list']],
  use: {
    baseURL: process.env['STACK_URL'] ?? 'http://localhost:8080',
    browserName: 'chromium',
    viewport: { width: 1280, height: 860 },
    reducedMotion: 'reduce',
    // It would answer before a journey can change or lose an answer; `offline-app.spec.ts` is about it.
    serviceWorkers: 'block',
    screenshot: 'only-on-failure',
    launchOptions: {
      executablePath: process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
    },
  },
})
