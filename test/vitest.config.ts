import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    root: join(import.meta.dirname, '..'),
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/global-setup.ts',
    testTimeout: 60_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
    provide: { asked: JSON.parse(process.env.FUZZ ?? '{}'), soak: JSON.parse(process.env.SOAK ?? '{}') },
    reporters: process.env.TEST_RESULTS ? ['default', ['json', { outputFile: process.env.TEST_RESULTS }]] : ['default'],
  },
})
