import { completeOffsets } from '../../cypher/zone-offsets.ts'
import type { Origin } from '../../origin/connect.ts'
import type { Properties } from './columns.ts'
import type { InternalId } from './internal-ids.ts'
import { readOffsets } from './queries.ts'

/** Completes the zoned datetimes of an origin that speaks Bolt 3, which omits their offsets. */
export const completeZones = (
  origin: Origin,
  owner: 'node' | 'relationship',
  id: InternalId,
  properties: Pick<Properties, 'keys' | 'values'>,
): Promise<void> => completeOffsets(properties, (key) => readOffsets(origin, owner, id, key))
