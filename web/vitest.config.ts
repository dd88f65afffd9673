import { defineConfig, mergeConfig } from 'vitest/config'
import vite from './vite.config.ts'

export default mergeConfig(
  vite,
  defineConfig({
    // Some tests compare what a page says with the server's own words.
    server: { fs: { allow: ['.', '../services', '../gateway/src'] } },
    test: {
      environment: 'jsdom',
      globals: true,
      include: ['src/**/*.test.{ts,tsx}'],
      setupFiles: ['src/testing/setup.ts'],
      restoreMocks: true,
      // Styles are left out of the tests, except the colours, which the mails share.
      css: { include: /tokens\.css/ },
      testTimeout: 60_000,
      // As in the browser: what a busy machine delays passes at the second try, what is broken fails again.
      retry: 1,
    },
  }),
)
