import { vi } from 'vitest'
import { frozenConnections } from '../../faults/suites/frozen-connections.ts'

vi.setConfig({ testTimeout: 120_000 })

await frozenConnections(['requests', 'answers'])
