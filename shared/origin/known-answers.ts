import type { Neo4jError } from 'neo4j-driver'
import { knownQuery, wrongIn } from '../../packet/read-back/known-answers.ts'
import { AppError } from '../errors/app-error.ts'
import * as errors from '../errors/catalogue.ts'
import type { Received } from './results.ts'
import type { Rows } from './rows.ts'

/** The header of a message, before its list of values. */
const headerBytes = 2

/** An open origin. */
interface Asked {
  rows(query: string, parameters: Record<string, unknown>): Promise<Received>
}

/** Bytes of the answer whose values are known. Beyond this limit the publish fails with `422 wrongAnswers`. */
const mostBytes = 1024

/**
 * Checks that a server answers as every supported one does, before anything else is read.
 * @throws wrongAnswers (422), and what `rows` throws.
 */
export async function requireKnownAnswers(origin: Asked): Promise<void> {
  const { rows } = await origin.rows(knownQuery, {}).catch((error) => {
    throw isRefusal(error)
      ? errors.wrongAnswers('it refuses a query that every supported database answers', error)
      : error
  })
  const wrong = rows === null ? 'a short query' : wrongInRows(rows)
  rows?.release()
  if (wrong !== null) throw errors.wrongAnswers(`it answers wrongly: ${wrong}`)
}

function wrongInRows(rows: Rows): string | null {
  if (rows.length !== 1) return `${rows.length} rows for one`
  const record = rows.bytes.subarray(headerBytes, rows.end(0))
  if (record.length > mostBytes) return 'a short query'
  try {
    return wrongIn(rows.unpack(record) as unknown[])
  } catch {
    return 'values that are none of Bolt'
  }
}

const isRefusal = (error: unknown): error is AppError =>
  error instanceof AppError &&
  error.code === 'originRefusedQuery' &&
  (error.cause as Neo4jError).code.startsWith('Neo.ClientError.Statement.')
