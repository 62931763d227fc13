import type { Node, Relationship } from 'neo4j-driver'
import { byCodePoint, isQuotable } from '../../../packet/cypher/identifiers.ts'
import { type Identity, mergeText } from '../../../packet/identity.ts'
import type { KeepList } from '../../../packet/kinds/keep-clauses.ts'
import { nodeDelete } from '../../../packet/kinds/node-delete.ts'
import { pairOf, shapeOf } from '../../../packet/pair.ts'
import { createPairMaker, type Ends, type PropertyField } from '../../../packet/pair-maker.ts'
import type { PacketWriter } from '../../../packet/parts/packet-writer.ts'
import { createTextSet } from '../hash-set.ts'
import {
  describeIdentity,
  endsText,
  fieldsOf,
  identityText,
  irreversible,
  nodeUpsertPair,
  relationshipUpsertPair,
} from './elements.ts'
import type { Facts } from './facts.ts'
import type { TargetReader } from './target-reader.ts'

/** Writes the pairs of an undo, each element once. */
export function createImages({ named, idFields, added }: Facts, reader: TargetReader, writer: PacketWriter) {
  const written = createTextSet()
  const pairs = createPairMaker('dollar')
  const isNew = (...key: readonly string[]) => written.add(key.join('\u0000'))

  async function fieldsAt(owner: 'node' | 'relationship', it: Node | Relationship, about: string) {
    const properties = { keys: Object.keys(it.properties), values: Object.values(it.properties) }
    await reader.complete(owner, it.identity as unknown as bigint, properties)
    return fieldsOf(properties, about)
  }

  return {
    isNew,

    /** Restores a node as it is, with its labels. Removes the labels that the packet adds and the node lacks. */
    async node(node: Node, identity: Identity): Promise<void> {
      if (!isNew('node', `${node.identity}`)) return
      const about = `the node ${describeIdentity(identity)}`
      const fields = await fieldsAt('node', node, about)
      const unquotable = node.labels.find((label) => !isQuotable(label))
      if (unquotable !== undefined) throw irreversible(about, `bears a label ${JSON.stringify(unquotable)}`)
      const labels = new Set(node.labels)
      const surplus = [...(added.get(identity.label) ?? [])].filter((label) => !labels.has(label))
      const changes = {
        protectedKeys: [],
        added: node.labels.filter((label) => label !== identity.label).sort(byCodePoint),
        removed: surplus.sort(byCodePoint),
      }
      await writer.write(nodeUpsertPair(pairs, identity, fields, changes), about)
    },

    /** Deletes a node that is not there yet. */
    async absentNode(identity: Identity): Promise<void> {
      if (!isNew('absent', identityText(identity))) return
      const { id } = identity
      const about = `the node ${describeIdentity(identity)}`
      const json = numbersAsTheyAre(id)
      if (json === null) throw irreversible(about, `is not there, and no node delete can name its ${id.wrap}`)
      await writer.write(
        pairOf(shapeOf(nodeDelete(identity, { wrap: null, list: false }), 'dollar'), () => `[${json}]`),
        about,
      )
    },

    /** Restores relationships as they are. `all`: the relationships of one type between these ends that may change. */
    async relationships(ends: Ends, all: readonly Relationship[]): Promise<void> {
      const { start, type, end } = ends
      const about = `the relationship ${describeIdentity(start)} -${type}-> ${describeIdentity(end)}`
      if (!isQuotable(type)) throw irreversible(about, 'has a type that no statement can name')
      const idField = idFields.get(type) ?? null
      if (idField === null && all.length > 1)
        throw irreversible(about, 'has parallel ones that cannot be distinguished')
      const ids = new Set<string>()
      for (const relationship of all) {
        const fields = await fieldsAt('relationship', relationship, about)
        const id = idField === null ? null : ownId(fields, idField, about)
        // A relationship may lack the id only if it is the only one and the packet adds none.
        if (idField !== null && id === null && (named.has(endsText(ends)) || !(await reader.isAlone(relationship)))) {
          throw irreversible(about, `has no ${idField}, by which the packet tells relationships apart`)
        }
        if (id !== null && ids.has(id)) throw irreversible(about, `has a parallel one of equal ${idField}`)
        if (id !== null) ids.add(id)
        if (!isNew('relationship', `${relationship.identity}`)) continue
        await writer.write(relationshipUpsertPair(pairs, ends, fields, id === null ? null : idField), about)
      }
    },

    /** Deletes the relationships out of a node that no list keeps. */
    async cleanup(node: Identity, type: string, lists: readonly KeepList[]): Promise<void> {
      const about = `the relationships of ${describeIdentity(node)}, -${type}->`
      await writer.write(pairs.cleanup(node, { type, direction: 'out' }, lists), about)
    },
  }
}

export type Images = ReturnType<typeof createImages>

function ownId(fields: readonly PropertyField[], idField: string, about: string): string | null {
  const id = fields.find(({ key }) => key === idField)?.value
  if (id === undefined) return null
  if (id.wrap === 'toFloat' && id.json.includes('NaN')) throw irreversible(about, `has NaN as ${idField}`)
  return mergeText(id)
}

/** The id as plain JSON, because the list of ids has no expression that converts it; null if that is not possible. */
function numbersAsTheyAre({ json, wrap }: Identity['id']): string | null {
  if (wrap === null) return json
  if (wrap !== 'toInteger' && wrap !== 'toFloat') return null
  const text = json.replaceAll('"', '')
  return /[a-z]{2}/i.test(text) ? null : text
}
