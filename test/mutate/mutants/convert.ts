import type { Mutant } from '../mutant.ts'

export const convert: readonly Mutant[] = [
  {
    file: 'client/importer/scripts.ts',
    what: 'the script succeeds although the importer has skipped rows',
    from: 'if [ -s "$report" ]; then',
    to: 'if [ ! -e "$report" ]; then',
    tests: ['unit/client/convert'],
  },
  {
    file: 'client/importer/resolve.ts',
    what: 'a cleanup that would delete a relationship of the packet is not noticed',
    from: 'if (cleanups.size > 0) for (const side of sides) checkSide(side)',
    to: '',
    tests: ['unit/client/convert'],
  },
  {
    file: 'client/importer/resolve.ts',
    what: 'a node that a relationship makes replaces its upsert, and loses its properties',
    from: 'if (known === undefined || found.kind === kinds.node) nodes.set(id, found)',
    to: 'nodes.set(id, found)',
    tests: ['unit/client/convert'],
  },
  {
    file: 'client/importer/values.ts',
    what: 'a list with nothing but an empty string disappears',
    from: "if (list.length === 1 && list[0] === '') throw",
    to: 'if (list.length === 1 && list[0] === null) throw',
    tests: ['unit/client/convert'],
  },
  {
    file: 'client/importer/values.ts',
    what: 'an integer beyond 64 bits becomes another one',
    from: 'if (BigInt.asIntN(64, integer) !== integer) throw',
    to: 'if (BigInt.asIntN(128, integer) !== integer) throw',
    tests: ['unit/client/convert'],
  },
]
