import { testTypesOfIds } from './suites/type-matrix-ids.ts'

testTypesOfIds('Neo4j 5 into Neo4j 3.5', 'Neo4j 3.5 into Neo4j 5')
