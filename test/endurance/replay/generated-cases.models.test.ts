import { inject } from 'vitest'
import { testModels } from '../../replay/suites/models.ts'

await testModels('Models', 2_050_000n, inject('isLong') ? 500 : 5)
