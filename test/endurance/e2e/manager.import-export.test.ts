import { inject } from 'vitest'
import { createClient } from '../../../dev/client.ts'
import { testCopies } from '../../e2e/suites/copied-versions.ts'
import { managerClient } from '../../support/models/models.ts'

const { apiUrl, tokens } = inject('service')

testCopies(managerClient(createClient(apiUrl, tokens.all as string)), { types: 102, properties: 50 })
