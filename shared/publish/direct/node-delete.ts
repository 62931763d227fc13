import { z } from 'zod'
import { brokenRules, nodeDeleteRules, nodeDeleteSchema } from '../../request/field-rules.ts'
import { publishFields, readFields } from '../../request/fields.ts'
import { identityRule } from '../../request/identity.ts'
import { maskIssues } from '../../request/mask/mask-rules.ts'
import { originIndex } from '../../request/plan.ts'
import { mappedIndexRules } from '../../request/rules.ts'
import { shown } from '../../validation/issues.ts'
import { idParameter, idTypes } from './packet.ts'

const {
  callbackUrl: _,
  model: __,
  onModelViolation: ___,
  select: ____,
  maxNodes: _____,
  asBase: ______,
  base: _______,
  deleteMissing: ________,
  ...usedOrIgnored
} = publishFields
const notTaken = {
  callbackUrl: 'there is no job',
  model: 'nothing is read',
  onModelViolation: 'nothing is read',
  select: 'nothing is read',
  maxNodes: 'nothing is read',
  asBase: 'nothing is read',
  base: 'nothing is read',
  deleteMissing: 'nothing is read',
}

/** The request as documented, which clients send. */
export const nodeDelete = z
  .strictObject({ ...usedOrIgnored, idType: idTypes })
  .partial()
  .required({ mappedIndices: true, originIds: true, index: true })
  .meta({ id: 'NodeDeleteRequest', override: nodeDeleteSchema })

/** Accepts publish fields, and ignores most that it does not use; `idType` is additive. Seed, #9; contract 7.9. */
export function parseNodeDelete(body: unknown) {
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body)
  const { idType = null, ...rest } = (isObject ? body : {}) as Record<string, unknown>
  const { fields, broken, issues } = readFields(isObject ? rest : body, '', ['idType'])
  const type = idTypes.safeParse(idType ?? 'string')
  if (!type.success) issues.push({ path: 'idType', message: 'must be one of string, integer' })
  for (const field of ['mappedIndices', 'originIds', 'index'] as const) {
    if (fields[field] === undefined && !broken.has(field)) issues.push({ path: field, message: 'required' })
  }
  if (fields.originIds?.length === 0) issues.push({ path: 'originIds', message: 'must not be empty' })
  for (const [path, message] of mappedIndexRules({ fields, broken })) issues.push({ path, message })
  for (const [field, why] of Object.entries(notTaken)) {
    if (fields[field as keyof typeof notTaken] === undefined) continue
    issues.push({ path: field, message: `not taken here, as ${why}` })
  }
  for (const [path, message] of brokenRules(nodeDeleteRules, { fields, broken })) issues.push({ path, message })
  for (const [path, message] of maskIssues(fields)) issues.push({ path, message })
  const originIds = [...new Set(fields.originIds)]
  const ids = originIds.map((id) => idParameter(id, type.data ?? 'string'))
  const wrong = ids.indexOf(null)
  if (wrong !== -1) {
    const message = `"${shown(originIds[wrong] as string)}" is not a 64-bit integer, as idType says`
    issues.push({ path: 'originIds', message })
  }
  const { mappedIndices = {} } = fields
  const index = originIndex({ mappedIndices, index: fields.index })
  // The neighbours of a deleted node may have other labels. An undo needs their identities.
  const others = Object.fromEntries(
    [...identityRule(mappedIndices).idProperties].filter(([it, id]) => ![index.label, ''].includes(it) && id !== ''),
  )
  const { fileName = '', returnOnly = false, expiresAfterDays, compression, parameterSyntax } = fields
  const stored = { fileName, returnOnly, expiresAfterDays, compression }
  /** The content of a packet of #9. `ids` are its `originIds` as parameters. */
  const order = {
    ...index,
    mappedIndices: others,
    originIds,
    ...(fields.mask ? { mask: fields.mask } : {}),
    ids: ids.filter((id) => id !== null),
    ...stored,
    parameterSyntax,
  }
  return { order, issues }
}
