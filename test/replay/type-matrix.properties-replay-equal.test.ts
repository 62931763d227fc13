import { testTypesOfProperties } from './suites/type-matrix-properties.ts'

testTypesOfProperties('plain')
