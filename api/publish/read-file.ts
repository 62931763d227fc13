import { Readable } from 'node:stream'
import { z } from 'zod'
import type { ParameterSyntax } from '../../packet/cypher/parameters.ts'
import { orgName, storedName } from '../../packet/names.ts'
import * as errors from '../../shared/errors/catalogue.ts'
import { convertSyntax } from '../../shared/publish/pairs/convert-syntax.ts'
import { publishResponse, type StatementSource, statementFields } from '../../shared/publish/response.ts'
import type { StoredFile } from '../../shared/storage/packets.ts'
import type { ApiContext } from '../context.ts'
import { orgInPath } from '../http/access.ts'
import { defineEndpoint } from '../http/endpoint.ts'
import { word } from '../http/query.ts'
import { bytesOf, sourcesOf } from '../submission/job-answer.ts'

/** Seed, Publish #5; contract 7.5. One part is streamed whatever its size; several only within the inline limit. */
export const readFile = defineEndpoint({
  method: 'get',
  path: '/1.0/publish/:orgName/:fileName',
  summary: 'Read a stored packet, or one of its parts, back',
  scope: 'publish:read',
  access: orgInPath,
  params: z.object({ orgName, fileName: storedName }),
  query: z.strictObject({ parameterSyntax: word(['braces', 'dollar']).optional() }),
  answer: 'publish',
  answers: { 413: 'Too large to be inlined; use /url', 422: 'A file of others that is not JSON' },
  async handle(context, { params, query }) {
    const files = await context.packets.require(params.orgName, params.fileName)
    const limitBytes = context.config.limits.inlineBytes
    if (files.length > 1 && bytesOf(files) > limitBytes) throw errors.tooLargeInline(limitBytes)
    const others = files.find((file) => !file.isPart)
    const sources = others ? [await parsedSource(context, params.orgName, others)] : sourcesOf(context, files)
    const { parameterSyntax } = query
    const given = parameterSyntax ? sources.map((source) => converted(source, parameterSyntax)) : sources
    return { kind: 'publish', response: publishResponse(statementFields(given)) }
  },
})

const converted = ({ open }: StatementSource, syntax: ParameterSyntax): StatementSource => ({
  bytes: null,
  open: async () => convertSyntax(await open(), syntax),
})

/** A file of another program may be gone, or not JSON, so it is read completely and checked before it is inlined. */
async function parsedSource(context: ApiContext, orgName: string, file: StoredFile): Promise<StatementSource> {
  const limitBytes = context.config.limits.inlineBytes
  if (file.bytes > limitBytes) throw errors.tooLargeInline(limitBytes)
  const bytes = await context.store.get(file.key)
  if (bytes === null) throw errors.noSuchFile(orgName, file.fileName)
  if (!isJson(bytes)) throw errors.notAPacket(file.fileName)
  return { bytes: bytes.length, open: async () => Readable.from([bytes]) }
}

function isJson(bytes: Buffer): boolean {
  try {
    JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes))
    return true
  } catch {
    return false
  }
}
