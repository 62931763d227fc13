import { inject } from 'vitest'
import { testOriginChanges } from '../../integration/suites/origin-changes.ts'
import { openChangingOrigin } from '../../support/origins/changing-origin.ts'

const counts = inject('isLong') ? { existence: 400, identities: 400 } : { existence: 8, identities: 6 }

testOriginChanges(openChangingOrigin('Moving', 650_000n), counts)
