import { testEachDifference } from './suites/each-difference.ts'

testEachDifference('Neo4j 3.5')
