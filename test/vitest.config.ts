import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './support/longest-first.ts'

const unit = ['test/unit/**/*.test.ts', 'test/architecture.test.ts']
const stack = 'test/support/global-setup.ts'

/**
 * Two projects, one after the other: tests without the stack, which share their processes, and tests with it, three at a
 * time, as those of faults mostly wait. The stack starts only if a file that needs it runs.
 */
export default defineConfig({
  test: {
    root: join(import.meta.dirname, '..'),
    // Only ends tests that hang. What takes 30 s on a busy machine must not turn red on a busier one.
    testTimeout: 180_000,
    hookTimeout: 240_000,
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    provide: {
      isLong: process.env.LONG_TESTS === '1',
      asked: JSON.parse(process.env.FUZZ ?? '{}'),
      soak: JSON.parse(process.env.SOAK ?? '{}'),
    },
    reporters: process.env.TEST_RESULTS ? ['default', ['json', { outputFile: process.env.TEST_RESULTS }]] : ['default'],
    projects: [
      { extends: true, test: { name: 'unit', include: unit, isolate: false, sequence: { groupOrder: 0 } } },
      {
        extends: true,
        test: {
          ...{ name: 'stack', include: ['test/**/*.test.ts'], exclude: unit },
          ...{ globalSetup: stack, isolate: false, sequence: { groupOrder: 1 } },
        },
      },
    ],
  },
})
