import { z } from 'zod'
import { longestKeyBytes } from '../../../packet/names.ts'
import * as errors from '../../errors/catalogue.ts'

/** Where a listing of names stands: after some names of a packet, or after a file of others. */
export type Position =
  /** `names`: how many of its names were listed; null: all. `base`: it was looked up, because a prefix is longer. */
  { of: 'base' | 'packet'; name: string; names: number | null } | { of: 'file'; name: string }

const schema = z.union([
  z.tuple([z.enum(['base', 'packet']), z.string(), z.int().positive().nullable()]),
  z.tuple([z.literal('file'), z.string()]),
])

/** The `next` of a page: clients pass it on as `after`, and rely on nothing in it. */
export function positionText(position: Position): string {
  const fields = position.of === 'file' ? ['file', position.name] : [position.of, position.name, position.names]
  return Buffer.from(JSON.stringify(fields)).toString('base64url')
}

/** @throws invalidRequest (400) if it is not the `next` of a page */
export function parsePosition(after: string): Position {
  const { data } = schema.safeParse(jsonOf(Buffer.from(after, 'base64url').toString()))
  const isKey = data?.[1].isWellFormed() && Buffer.byteLength(data[1]) <= longestKeyBytes
  if (data === undefined || !isKey)
    throw errors.invalidRequest([{ path: 'after', message: 'must be the next of the page before' }])
  return data[0] === 'file' ? { of: 'file', name: data[1] } : { of: data[0], name: data[1], names: data[2] }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
