import type { Compare } from '../object-store.ts'
import type { Cursor } from './cursor.ts'
import { partNamesFrom } from './part-order.ts'
import { ownersOf } from './plain-names.ts'

/** A name that may be listed. */
export interface Named {
  name: string
  /** It is that of an object: below a removed packet of this name, or null where no packet is known. */
  plainOf?: string | null
}

/** A packet that readers see as so many parts; 0 for a removed one, null where it does not matter. */
interface CountedPacket {
  name: string
  parts: number | null
}

/** A packet that names still to come may belong to: they all start with its own. */
interface OpenPacket extends CountedPacket {
  partNames: Iterator<string>
  /** The next of them. */
  partName: string | undefined
}

/**
 * The names of packets' parts, and of objects that are no copies of such, in order. Both come in order; part names are
 * given from `from` on.
 */
export async function* merged(
  packets: AsyncGenerator<CountedPacket>,
  objects: AsyncGenerator<string>,
  from: string,
  compare: Compare,
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
      const { parts } = packet.value as CountedPacket
      const partNames = partNamesFrom(name, parts === null || parts < 2 ? 0 : parts, from, compare)
      open.push({ name, parts, partNames, partName: partNames.next().value })
      if (parts === 1) yield { name }
      packet = await packets.next()
    } else if (nextPart !== null && name === nextPart.partName) {
      yield { name }
      nextPart.partName = nextPart.partNames.next().value
    } else {
      const owners = ownersOf(name)
      const owner = open.find((each) => owners.includes(each.name))
      if (owner === undefined) yield { name, plainOf: null }
      else if (owner.parts === 0) yield { name, plainOf: owner.name }
      object = await objects.next()
    }
  }
}

/**
 * Keys from `from` on that start with `start`. What stands below a dot-name is hidden, and passed over: below that of an
 * org's top directory are all generations and parts.
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
      // A slash is the character behind the dot.
      const visible = `${key.slice(0, dot.index + dot[0].length - 1)}/`
      const isTop = dot.index === key.indexOf('/')
      object = isTop ? await cursor.jump(visible) : await cursor.seek(visible)
    }
  }
}
