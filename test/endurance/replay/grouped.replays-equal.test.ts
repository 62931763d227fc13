import { testGrouped } from '../../replay/suites/grouped.ts'

testGrouped('dollar', 'in order', 'shuffled, and again', 'half grouped, half one by one')
testGrouped('braces', 'in order', 'half grouped, half one by one')
