import { isQuotable, quote } from '../../../packet/cypher/identifiers.ts'

export const strategyNames = ['defaultBroker', 'defaultPartial', 'defaultFull'] as const
export type StrategyName = (typeof strategyNames)[number]

/** The nodes that a producer selects. Seed, Strategy names. */
const conditions: Record<StrategyName, string> = {
  defaultBroker: ' WHERE n.grn IN {idList}',
  defaultPartial: ' WHERE n.updatedAt > n.lastSearchIndexedAt',
  defaultFull: '',
}

/** Seed, Strategy object: every value is a string. */
export interface Strategy {
  producer: string
  anchorLabel: string
  anchorId: string
  anchor: string
  batchSize: string
  parallel: string
  retries: string
  iterateList: string
  broker?: string
}

/** Parses a strategy name in camel or snake case (seed, Search); null for any other text. */
export function parseStrategyName(text: string): StrategyName | null {
  const camel = text.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
  return strategyNames.find((name) => name === camel) ?? null
}

/** Whether a producer can name this label. Packets have the same rule. */
export const isIndexable = isQuotable

export const anchorOf = (label: string): string => label.toLowerCase()

/** All strategies of a label, regardless of which was requested. Contract 10, Search. */
export function strategiesOf(label: string, isCustom: boolean): Record<StrategyName, Strategy> {
  const strategy = (name: StrategyName): Strategy => ({
    producer: producerOf(label, name),
    anchorLabel: label,
    anchorId: `${anchorOf(label)}.grn`,
    anchor: anchorOf(label),
    batchSize: '1000',
    parallel: isCustom ? 'true' : 'false',
    retries: '0',
    iterateList: 'true',
    ...(isCustom ? {} : { broker: 'DIRECT' }),
  })
  return {
    defaultBroker: strategy('defaultBroker'),
    defaultPartial: strategy('defaultPartial'),
    defaultFull: strategy('defaultFull'),
  }
}

/** Selects nodes of the label and returns them under the anchor's name. */
function producerOf(label: string, name: StrategyName): string {
  const anchor = quote(anchorOf(label))
  return `MATCH (n:${quote(label)})${conditions[name]} WITH n AS ${anchor} RETURN ${anchor}`
}
