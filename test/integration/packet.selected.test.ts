import { inject } from 'vitest'
import type { Neo4jAddress } from '../../dev/stack/stack.ts'
import { readConfig } from '../../shared/config/config.ts'
import { testSelections } from './suites/selected.ts'

const { neo4j, legacy } = inject('stack') as Record<'neo4j' | 'legacy', Neo4jAddress>
const { origin } = readConfig('worker', inject('service').env)

testSelections('5', neo4j, origin)
testSelections('3.5', legacy, origin)
