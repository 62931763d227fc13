import { vi } from 'vitest'
import { lostRights } from './suites/lost-rights.ts'

vi.setConfig({ testTimeout: 120_000 })

await lostRights([['-eval -evalsha', 'EVAL', 200]])
