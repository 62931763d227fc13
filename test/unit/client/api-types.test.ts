import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { endpoints } from '../../../api/endpoints.ts'
import { openApiDocument } from '../../../api/http/openapi.ts'
import { apiTypes, type OpenApi } from '../../support/clients/api-types.ts'

const head =
  '// Made from the OpenAPI document of the service by `npm test -- unit/client/api-types -u`; a test compares the two.\n\n'
const document = openApiDocument(endpoints) as OpenApi
const texts = apiTypes(document, (path) => /^\/1\.0\/(publish|jobs|manager\/export)\b/.test(path))

test.each(['paths', 'schemas'] as const)(
  'the types of the client are those of the OpenAPI document: %s',
  async (name) => {
    const biome = ['node_modules/@biomejs/biome/bin/biome', 'format', '--stdin-file-path=types.ts']
    const formatted = execFileSync(process.execPath, biome, { input: head + texts[name], encoding: 'utf8' })
    await expect(formatted).toMatchFileSnapshot(`../../../client/api/${name}.ts`)
  },
)
