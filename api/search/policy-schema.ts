import { z } from 'zod'

const strategy = z
  .object({
    producer: z.string(),
    anchorLabel: z.string(),
    anchorId: z.string(),
    anchor: z.string(),
    batchSize: z.string(),
    parallel: z.string(),
    retries: z.string(),
    iterateList: z.string(),
    broker: z.string().optional(),
  })
  .meta({ id: 'Strategy' })

const map = z.record(z.string(), z.unknown())

const propertySchema = z.object({
  schema: z.object({ generatorStrategies: z.record(z.string(), z.string()) }),
  searchQuery: map,
  viewRequirements: map.optional(),
  tokenizer: z.null().optional(),
  suggester: z.null().optional(),
})

const index = z
  .object({
    indexData: z.object({
      description: z.string(),
      displayName: z.string(),
      caption: z.object({ priority: z.array(z.unknown()) }),
    }),
    indexStrategies: z.record(z.string(), strategy),
    settings: map,
    mappings: z.null(),
    schema: z.record(z.string(), propertySchema),
    hardFilter: z.null(),
    viewRequirements: map,
  })
  .meta({ id: 'Index' })

/** Seed, Index policy, as documented. */
export const policySchema = z
  .object({
    metadata: z.object({
      description: z.string(),
      displayName: z.string(),
      createdAt: z.iso.datetime(),
      updatedAt: z.iso.datetime(),
      versions: z.array(z.unknown()),
      state: z.string(),
      leftOut: z.array(z.string()).optional().meta({
        description: 'Node types that are omitted, because their keys have a backslash, which no statement can name',
      }),
    }),
    caption: z.object({ priority: z.array(z.object({ property: z.string() })) }),
    parameter: z.null(),
    hardFilter: z.null(),
    indexes: z.record(z.string(), index),
    globals: map,
    views: map,
  })
  .meta({ id: 'IndexPolicy' })
