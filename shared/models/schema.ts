import { Neo4jError } from 'neo4j-driver'
import { recordLabel } from './statements.ts'

const uniqueProperties = ['grn', 'id', 'uniqueKey']

/** Syntax of Neo4j 4.4 and later, then of earlier versions. */
const syntaxes = [
  (property: string) =>
    `CREATE CONSTRAINT graph_packets_record_${property} IF NOT EXISTS FOR (n:${recordLabel}) REQUIRE n.${property} IS UNIQUE`,
  (property: string) => `CREATE CONSTRAINT ON (n:${recordLabel}) ASSERT n.${property} IS UNIQUE`,
]

/**
 * Creates the uniqueness constraints that all writes rely on. Idempotent, and safe to run concurrently. Each covers one
 * property, because Neo4j 3.5 supports no others.
 */
export async function createSchema(run: (query: string) => Promise<unknown>): Promise<void> {
  for (const property of uniqueProperties) {
    await inEitherSyntax(
      run,
      syntaxes.map((of) => of(property)),
    ).catch((error) => {
      if (!isThereAlready(error)) throw error
    })
  }
}

/** The missing constraints. A database may silently skip a constraint if another constraint has its name. */
export async function missingConstraints(run: (query: string) => Promise<readonly (readonly unknown[])[]>) {
  const rows = await inEitherSyntax(run, [
    'SHOW CONSTRAINTS YIELD labelsOrTypes, properties, type',
    'CALL db.constraints() YIELD description',
  ])
  const isOn = (property: string) => (row: readonly unknown[]) =>
    row.length === 1
      ? [recordLabel, property, 'UNIQUE'].every((word) => String(row[0]).split(/\W+/).includes(word))
      : JSON.stringify(row.slice(0, 2)) === JSON.stringify([[recordLabel], [property]]) &&
        /^(NODE_)?(PROPERTY_)?UNIQUENESS$/.test(String(row[2]))
  return uniqueProperties.filter((property) => !rows.some(isOn(property)))
}

async function inEitherSyntax<T>(run: (query: string) => Promise<T>, [now, before]: string[]): Promise<T> {
  try {
    return await run(now as string)
  } catch (error) {
    if (!(error instanceof Neo4jError && error.code === 'Neo.ClientError.Statement.SyntaxError')) throw error
    return run(before as string)
  }
}

// Another process created it first; the older syntax lacks IF NOT EXISTS.
const isThereAlready = (error: unknown) =>
  error instanceof Neo4jError && /^Neo\.ClientError\.Schema\.\w*AlreadyExists$/.test(error.code)
