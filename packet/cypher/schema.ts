import { quote } from './identifiers.ts'

/** The oldest server that runs every statement text of a packet; the replay tests run all kinds on it. */
export const oldestServer = '3.4'

/** A statement that adds to a schema. Neo4j 4.4 and later accept the first text, 3.5 accepts the second. */
export type SchemaTexts = Record<'5' | '3.5', string>

/** Makes a property unique among the nodes of a label. Neither text changes an existing constraint. */
export const uniqueness = (label: string, property: string): SchemaTexts => ({
  5: `CREATE CONSTRAINT IF NOT EXISTS FOR (n:${quote(label)}) REQUIRE n.${quote(property)} IS UNIQUE`,
  3.5: `CREATE CONSTRAINT ON (n:${quote(label)}) ASSERT n.${quote(property)} IS UNIQUE`,
})

/**
 * The constraints of Neo4j 3.4 to 4.1 that make a property unique among the nodes of a label, as these describe them.
 * Names are not quoted, so a description can only be compared.
 */
export function descriptionsOfUniqueness(label: string, property: string): string[] {
  const variable = label.toLowerCase()
  const value = `${variable}.${property}`
  return [`${value} IS UNIQUE`, `(${value}) IS UNIQUE`, `(${value}) IS NODE KEY`].map(
    (rest) => `CONSTRAINT ON ( ${variable}:${label} ) ASSERT ${rest}`,
  )
}

/** Makes an index of a property of the nodes of a label. */
export const index = (label: string, property: string): SchemaTexts => ({
  5: `CREATE INDEX IF NOT EXISTS FOR (n:${quote(label)}) ON (n.${quote(property)})`,
  3.5: `CREATE INDEX ON :${quote(label)}(${quote(property)})`,
})

/** Demands a property of every node of a label; the Enterprise Edition only. */
export const existence = (label: string, property: string): SchemaTexts => ({
  5: `CREATE CONSTRAINT IF NOT EXISTS FOR (n:${quote(label)}) REQUIRE n.${quote(property)} IS NOT NULL`,
  3.5: `CREATE CONSTRAINT ON (n:${quote(label)}) ASSERT exists(n.${quote(property)})`,
})
