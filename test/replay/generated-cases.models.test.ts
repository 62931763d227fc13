import { testModels } from './suites/models.ts'

await testModels('FewModels', 2_000_000n, 3)
