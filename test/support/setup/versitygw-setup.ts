import type { TestProject } from 'vitest/node'
import { startStoreTests } from './store-setup.ts'

/** Starts a VersityGW for the tests of stores. */
export default (project: TestProject): Promise<() => Promise<void>> => startStoreTests(project, 'versitygw')
