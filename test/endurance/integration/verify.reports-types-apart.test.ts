import { testTypesApart } from '../../integration/suites/types-apart.ts'

testTypesApart('Neo4j 5')
testTypesApart('Neo4j 3.5')
