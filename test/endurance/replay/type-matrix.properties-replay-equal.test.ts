import { testTypesOfProperties } from '../../replay/suites/type-matrix-properties.ts'

testTypesOfProperties('strict')
