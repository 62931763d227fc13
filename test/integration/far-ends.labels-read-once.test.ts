import { inject } from 'vitest'
import type { Neo4jAddress } from '../../dev/stack/stack.ts'
import { identifiesByOneLook } from './suites/labels-read-once.ts'

const { neo4j, legacy } = inject('stack')
identifiesByOneLook('Neo4j 5', neo4j)
identifiesByOneLook('Neo4j 3.5', legacy as Neo4jAddress)
