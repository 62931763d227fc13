import { AppError } from '../shared/errors/app-error.ts'
import { openManagerDatabase } from '../shared/models/database.ts'
import { missingConstraints } from '../shared/models/schema.ts'
import { type Check, codeOf, fail, ok, warn } from './finding.ts'

const subject = 'manager database'

/** Checks the manager database. Creates missing constraints, as the API does at start. */
export const checkManager: Check = async function* ({ manager }) {
  if (manager === null) {
    return yield warn(subject, 'MANAGER_DB_URL is not set: the manager and search areas answer 503')
  }
  const database = openManagerDatabase(manager, { warn() {} })
  const query = (text: string) => ({ query: text, parameters: {} })
  try {
    await database.read(query('RETURN 1'))
    yield ok(subject, 'answers')
    await database.write(() => query('RETURN 1')).catch(() => {}) // any write creates the constraints first
    const missing = await missingConstraints((text) => database.read(query(text)))
    if (missing.length === 0) yield ok('manager constraints', 'all there')
    else yield fail('manager constraints', `none on ${missing.join(', ')}: ${advice}`)
  } catch (error) {
    yield fail(subject, reasonFor(error))
  } finally {
    await database.close()
  }
}

const advice = 'let MANAGER_DB_USER create constraints, and look for duplicates or a constraint of the same name'

function reasonFor(error: unknown): string {
  const code = codeOf(error)
  if (/\.Security\./.test(code)) return `refuses access (${code}): check MANAGER_DB_USER and MANAGER_DB_PASSWORD`
  if (!(error instanceof AppError))
    return `refuses a query (${code}): it must be compatible with Neo4j 3.5, or 4.2 or later`
  return `does not answer (${code}): check MANAGER_DB_URL, and that the database runs`
}
