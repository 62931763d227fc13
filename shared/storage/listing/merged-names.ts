import { packetNamesOf } from '../../../packet/names.ts'
import type { ObjectStore } from '../../store/object-store.ts'
import type { Cursor } from './cursor.ts'
import { partNamesFrom } from './part-order.ts'

export interface ListedName {
  name: string
  /** When its packet expires, ISO 8601; absent: never. */
  expiresAt?: string | undefined
}

/** A candidate for the listing. */
export interface Named extends ListedName {
  /** Set for the name of an object: the removed packet that it may be a copy of, or null if no packet is known. */
  plainOf?: string | null
}

/** A packet and the number of parts that readers see: 0 for a removed or expired one, null if irrelevant. */
interface CountedPacket extends ListedName {
  parts: number | null
}

/** A packet that later names may belong to; these names all start with its name. */
interface OpenPacket extends CountedPacket {
  partNames: Iterator<string>
  /** The next one of `partNames`. */
  partName: string | undefined
}

/**
 * Merges the names of packets' parts and of objects that are not copies of them, in order. Both inputs are sorted; part
 * names start at `from`.
 */
export async function* merged(
  packets: AsyncGenerator<CountedPacket>,
  objects: AsyncGenerator<string>,
  from: string,
  { compareKeys: compare, finalKey }: Pick<ObjectStore, 'compareKeys' | 'finalKey'>,
): AsyncGenerator<Named> {
  const isBefore = (a: string | undefined, b: string | undefined): boolean =>
    a !== undefined && (b === undefined || compare(a, b) < 0)
  let [packet, object] = await Promise.all([packets.next(), objects.next()])
  let open: OpenPacket[] = []
  for (;;) {
    const nextPart = open.reduce<OpenPacket | null>(
      (first, each) => (each.partName !== undefined && isBefore(each.partName, first?.partName) ? each : first),
      null,
    )
    const packetName = packet.done ? undefined : packet.value.name
    const objectName = object.done ? undefined : object.value
    const name = [packetName, nextPart?.partName, objectName].reduce((a, b) => (isBefore(b, a) ? b : a))
    if (name === undefined) return
    open = open.filter((each) => name.startsWith(each.name))
    if (name === packetName) {
      const { parts, expiresAt } = packet.value as CountedPacket
      const partNames = partNamesFrom(name, parts === null || parts < 2 ? 0 : parts, from, compare)
      open.push({ name, parts, expiresAt, partNames, partName: partNames.next().value })
      if (parts === 1) yield { name, expiresAt }
      packet = await packets.next()
    } else if (nextPart !== null && name === nextPart.partName) {
      yield { name, expiresAt: nextPart.expiresAt }
      nextPart.partName = nextPart.partNames.next().value
    } else {
      const owners = packetNamesOf(name, finalKey(name))
      const owner = open.find((each) => owners.includes(each.name))
      if (owner === undefined) yield { name, plainOf: null }
      // All objects under the name of an expired packet are its copies until it is removed.
      else if (owner.parts === 0 && owner.expiresAt === undefined) yield { name, plainOf: owner.name }
      object = await objects.next()
    }
  }
}

/**
 * Keys at or after `from` that start with `start`. Skips hidden objects, which are below a dot-name. In an org's top
 * directory they include all generations and parts.
 */
export async function* visibleKeys(cursor: Cursor, start: string, from: string): AsyncGenerator<string> {
  let object = await cursor.seek(from)
  while (object?.key.startsWith(start)) {
    const { key } = object
    const dot = /(?:^|\/)\./.exec(key)
    if (dot === null) {
      yield key
      object = await cursor.next()
    } else {
      // The slash is the character after the dot.
      const visible = `${key.slice(0, dot.index + dot[0].length - 1)}/`
      const isTop = dot.index === key.indexOf('/')
      object = isTop ? await cursor.jump(visible) : await cursor.seek(visible)
    }
  }
}
