import { testInertData } from '../../replay/suites/inert-data.ts'

testInertData('Neo4j 5 into Neo4j 5', 'Neo4j 3.5 into Neo4j 5')
