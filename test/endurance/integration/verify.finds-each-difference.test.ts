import { testEachDifference } from '../../integration/suites/each-difference.ts'

testEachDifference('Neo4j 5')
