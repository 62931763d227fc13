import { quote } from './identifiers.ts'

/** Statements that make a property unique among the nodes of a label, by version of Neo4j. */
/** The oldest server that runs every statement text of a packet; the replay tests run all kinds on it. */
export const oldestServer = '3.5'

export type UniquenessTexts = Record<'5' | '3.5', string>

/** Neo4j 4.4 and later take the first, 3.5 the second. Neither changes an existing constraint. */
export const uniqueness = (label: string, property: string): UniquenessTexts => ({
  5: `CREATE CONSTRAINT IF NOT EXISTS FOR (n:${quote(label)}) REQUIRE n.${quote(property)} IS UNIQUE`,
  3.5: `CREATE CONSTRAINT ON (n:${quote(label)}) ASSERT n.${quote(property)} IS UNIQUE`,
})
