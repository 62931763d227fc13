import { vi } from 'vitest'
import { lostRights } from '../../faults/suites/lost-rights.ts'

vi.setConfig({ testTimeout: 120_000 })

await lostRights([
  ['resetkeys ~other:*', 'DEL', 503],
  ['-@write', 'DEL', 200],
])
