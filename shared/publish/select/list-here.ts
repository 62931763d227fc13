import { collectIds, distinctIds, type IdList } from '../../read/internal-ids.ts'
import type { PublishRequest } from '../../request/fields.ts'
import { selects } from '../../request/select.ts'
import type { Report } from '../report/report.ts'
import { listSelections, type SelectContext } from './list-selections.ts'

const nodesAtOnce = 10_000

interface ListedHere {
  /** With all of `mappedIndices`. */
  requests: readonly PublishRequest[]
  /** The nodes of each request that selects nodes; else null. Absent if none does. */
  listed?: readonly (IdList | null)[]
  /** What was selected; null if nothing is. */
  report: Report | null
  /** Whether `atMost` left nodes out. */
  isCut: boolean
}

/** Lists what requests select in memory, for a packet that this process builds at once. Few nodes are expected. */
export async function listHere(
  requests: readonly PublishRequest[],
  context: Omit<SelectContext, 'take' | 'settle' | 'nodesAtOnce'>,
): Promise<ListedHere> {
  if (!selects(requests)) return { requests, report: null, isCut: false }
  const collected = requests.map(({ select }) => (select === undefined ? null : collectIds()))
  const take = (at: number, nodes: IdList) => {
    for (const node of nodes.slice(0, nodes.length)) collected[at]?.add(node)
  }
  const selected = await listSelections(requests, { ...context, take, nodesAtOnce })
  return { ...selected, listed: collected.map((ids) => ids && distinctIds(ids.list())) }
}
