import { testOddNames } from '../../replay/suites/odd-names.ts'

testOddNames('Neo4j 5 into Neo4j 5', 'Neo4j 5 into Neo4j 3.5', 'Neo4j 3.5 into Neo4j 5')
