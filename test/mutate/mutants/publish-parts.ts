import type { Mutant } from '../mutant.ts'

export const publishParts: readonly Mutant[] = [
  {
    file: 'packet/parts/packet-writer.ts',
    what: 'a packet succeeds although one of its parts was not stored',
    from: 'failure ??= { error }',
    to: '',
    tests: ['unit/publish/packet-writer.sinks'],
  },
  {
    file: 'packet/parts/part-buffer.ts',
    what: 'a part exceeds its size limit by its metadata',
    from: '+ textBytes + metadataBytes + 1',
    to: '+ textBytes + 1',
    tests: ['unit/publish/packet-writer.parts'],
  },
  {
    file: 'packet/parts/metadata.ts',
    what: 'the metadata names only the properties that the last pair of a node published',
    from: '[...new Set([...published, ...keys])]',
    to: 'keys',
    tests: ['unit/publish/metadata'],
  },
  {
    file: 'shared/publish/report/report.ts',
    what: 'the report of a large multi counts only the missing ids that it lists',
    from: 'missing[field].count += count - first.length',
    to: '',
    tests: ['unit/publish/report'],
  },
  {
    file: 'packet/packet-shape.ts',
    what: 'a merged shape forgets the pairs that a slice did not list',
    from: '      others += shape.others',
    to: '',
    tests: ['unit/packet/packet-shape'],
  },
  {
    file: 'packet/packet-shape.ts',
    what: 'relationships of one type between other labels are counted together',
    from: "\\u0000${type ?? ''}\\u0000${to ?? ''}`",
    to: "\\u0000${type ?? ''}`",
    tests: ['unit/packet/packet-shape'],
  },
]
