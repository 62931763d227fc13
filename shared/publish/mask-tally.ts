import type { Kind } from '../../packet/packstream/kinds.ts'
import { kind } from '../../packet/packstream/kinds.ts'
import type { DryRun } from '../../wire/dry-run.ts'
import { type MaskedKey, MaskedProperties } from '../origin/masked-properties.ts'
import type { Properties } from '../origin/properties.ts'
import { typeOf } from '../request/model/data-types.ts'
import { shown } from '../validation/issues.ts'

type Masked = NonNullable<DryRun['masking']>

/** Rules that a dry run counts, and nodes that it shows. */
const [rulesCounted, nodesShown] = [1_000, 3]

/** Counts what rules mask, and shows it at some nodes: without any value that is masked. Contract 4.24. */
export function createMaskTally() {
  const counts = new Map<string, Masked['counts'][number]>()
  const sample: Masked['sample'] = []
  return {
    /** Call this for each published node, by its identifying label, and for each published relationship. */
    masked(label: string | null, properties: Properties): void {
      if (!(properties instanceof MaskedProperties)) return
      const { changes } = properties
      for (const { name, key: property, action } of changes) {
        const rule = JSON.stringify([name, property, action])
        const count = counts.get(rule)
        if (count) count.values++
        else if (counts.size < rulesCounted)
          counts.set(rule, { name: shown(name), property: shown(property), action, values: 1 })
      }
      if (label === null || sample.length === nodesShown) return
      sample.push({
        label: shown(label),
        properties: changes.slice(0, rulesCounted).map((one) => shownChange(properties, one)),
      })
    },
    read: (): Pick<Masked, 'counts' | 'sample'> => ({ counts: [...counts.values()], sample }),
  }
}

function shownChange(
  properties: MaskedProperties,
  { key, action, index }: MaskedKey,
): Masked['sample'][number]['properties'][number] {
  const { unmasked } = properties
  const before = describe(unmasked, key, unmasked.shape.kinds[index] as Kind)
  return { property: shown(key), action, before, after: action === 'hash' ? properties.text(key) : null }
}

/** The type of a value and, of a text, within which power of ten its length is. */
function describe(unmasked: Properties, key: string, of: Kind): string {
  const type = typeOf(of)
  if (of !== kind.string) return type
  const length = unmasked.text(key)?.length ?? 0
  const digits = String(length).length
  return `${type}, ${length === 0 ? 'empty' : `${10 ** (digits - 1)} to ${10 ** digits - 1} characters`}`
}
