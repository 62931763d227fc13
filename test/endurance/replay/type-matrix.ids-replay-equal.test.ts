import { testTypesOfIds } from '../../replay/suites/type-matrix-ids.ts'

testTypesOfIds('Neo4j 5 into Neo4j 5 with constraints')
