/** What `onUnpublishable: skip` left out. */
export interface Skipped {
  nodes: number
  relationships: number
  properties: number
  cleanups: number
}

export const nothingSkipped = (): Skipped => ({ nodes: 0, relationships: 0, properties: 0, cleanups: 0 })

/** Bytes of a value's JSON and the comma after it. */
const size = (value: unknown) => (isPlain(value) ? value.length + 3 : Buffer.byteLength(JSON.stringify(value)) + 1)

/** Short text that JSON does not escape. */
const isPlain = (value: unknown): value is string => typeof value === 'string' && /^[ !#-[\]-~]{0,64}$/.test(value)

/** Caches the JSON of lists of keys, and its size: nodes of one shape share a list. */
const keyLists = new WeakMap<readonly string[], { json: string; bytes: number }>()
function keyList(keys: readonly string[]): { json: string; bytes: number } {
  const known = keyLists.get(keys)
  if (known) return known
  const json = JSON.stringify(keys)
  const list = { json, bytes: Buffer.byteLength(json) }
  keyLists.set(keys, list)
  return list
}

/** The metadata of one part: what its pairs are about. Seed, Result metadata; contract 5. */
export function createPartMetadata() {
  const mappedIndices = new Map<string, string>()
  const types = new Set<string>()
  const nodes = new Map<string, Map<string, readonly string[]>>()
  const missing = { originIds: [] as string[], relationshipIds: [] as string[] }
  let idField: string | null = null
  let postback: string[] | null = null
  let updatedIds: string[] | null = null
  let deletedIds: string[] | null = null
  let collapsedCount = 0
  let skipped: Skipped | null = null
  let bytes = 200
  let lastIndices: Readonly<Record<string, string>> | null = null

  function idsOf(idProperty: string): Map<string, readonly string[]> {
    const known = nodes.get(idProperty)
    if (known) return known
    bytes += size(idProperty) + 3
    const ids = new Map<string, readonly string[]>()
    nodes.set(idProperty, ids)
    return ids
  }

  return {
    /** Upper bound of its rendered size: a part must know it before it takes another pair. */
    get bytes() {
      return bytes
    },
    /** The number of pairs of the postback packet. */
    get postbacks() {
      return postback?.length ?? 0
    },
    /** Adds settings that the part's pairs were made with. */
    settings(indices: Readonly<Record<string, string>>, relationshipIdField: string | null): void {
      if (idField === null && relationshipIdField !== null) bytes += size(relationshipIdField)
      idField ??= relationshipIdField
      if (indices === lastIndices) return
      lastIndices = indices
      for (const [label, idProperty] of Object.entries(indices)) {
        if (mappedIndices.has(label)) continue
        mappedIndices.set(label, idProperty)
        bytes += size(label) + size(idProperty)
      }
    },
    node(idProperty: string, idText: string, keys: readonly string[]): void {
      const ids = idsOf(idProperty)
      const published = ids.get(idText)
      if (published === keys) return
      const all = published === undefined ? keys : [...new Set([...published, ...keys])]
      if (published === undefined) bytes += size(idText) + 1
      bytes += keyList(all).bytes
      ids.set(idText, all)
    },
    relationship(type: string): void {
      if (types.has(type)) return
      types.add(type)
      bytes += size(type)
    },
    missing(field: keyof typeof missing, ids: readonly string[]): void {
      missing[field].push(...ids)
      bytes += size(ids)
    },
    /** Adds a pair of the postback packet, as JSON. The first call creates that packet, even without a pair. */
    postsBack(pair?: string): void {
      postback ??= []
      if (pair === undefined) return
      postback.push(pair)
      bytes += Buffer.byteLength(pair) + 1
    },
    /** Ids of nodes that the part deletes, for search de-indexing. If given, the metadata has nothing else. */
    deleted(ids: readonly string[]): void {
      deletedIds ??= []
      for (const id of ids) deletedIds.push(id)
      bytes += size(ids)
    },
    /** Creates the list of ids for search indexing, even if it stays empty. */
    searches(): void {
      updatedIds ??= []
    },
    /** Adds an id for search indexing. */
    updated(id: string | undefined): void {
      if (id === undefined) return
      updatedIds ??= []
      updatedIds.push(id)
      bytes += size(id)
    },
    collapsed(count: number): void {
      collapsedCount += count
    },
    skipped(kind: keyof Skipped): void {
      if (skipped === null) bytes += 120
      skipped ??= nothingSkipped()
      skipped[kind]++
    },
    render(): string {
      const byId = [...nodes].map(([idProperty, ids]) => [idProperty, keysById(ids)] as const)
      const qa = entries([
        ['mappedIndices', entries([...mappedIndices].map(([label, id]) => [label, JSON.stringify(id)]))],
        ['relationshipIdField', JSON.stringify(idField)],
        ['relationships', JSON.stringify([...types])],
        ['nodes', entries(byId)],
      ])
      const isMissing = missing.originIds.length + missing.relationshipIds.length > 0
      if (deletedIds !== null) return entries([['deletedIds', JSON.stringify(deletedIds)]])
      return entries([
        ['qa', qa],
        ...(postback === null ? [] : [['postback', `{"statements":[${postback.join(',')}]}`] as const]),
        ...(updatedIds === null ? [] : [['updatedIds', JSON.stringify(updatedIds)] as const]),
        ...(isMissing ? [['missing', JSON.stringify(missing)] as const] : []),
        ...(skipped === null ? [] : [['skipped', JSON.stringify(skipped)] as const]),
        ...(collapsedCount > 0 ? [['collapsed', String(collapsedCount)] as const] : []),
      ])
    },
  }
}

export type PartMetadata = ReturnType<typeof createPartMetadata>

/** Like `entries` for many ids, without an intermediate list. */
function keysById(ids: ReadonlyMap<string, readonly string[]>): string {
  let text = ''
  for (const [id, keys] of ids) text += `${text === '' ? '{' : ','}${JSON.stringify(id)}:${keyList(keys).json}`
  return `${text || '{'}}`
}

/** A JSON object of JSON texts, in order: a plain object would put integer-like ids first and lose `__proto__`. */
function entries(pairs: readonly (readonly [key: string, json: string])[]): string {
  return `{${pairs.map(([key, json]) => `${JSON.stringify(key)}:${json}`).join(',')}}`
}
