import { testGrouped } from '../../replay/suites/grouped.ts'

testGrouped('dollar')
