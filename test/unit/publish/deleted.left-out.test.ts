import { expect, test } from 'vitest'
import { withoutDeleted } from '../../../shared/read/deleted.ts'
import { readNodesByIds } from '../../../shared/read/nodes.ts'
import { nothingLearned, type Reading } from '../../../shared/read/reading.ts'
import { planOf } from '../../../shared/request/plan.ts'
import { parsePublishRequest } from '../../../shared/request/rules.ts'
import { answeringOrigin } from '../../support/origins/answering-origin.ts'
import { propertiesOf } from '../../support/origins/packstream.ts'
import { validRequest } from '../valid-request.ts'

const plan = planOf(parsePublishRequest(validRequest).request)
const node = (id: string, labels: string[]) => ({ node: id, labels, properties: propertiesOf({}) })

test('a node that was read without labels is left out if the origin no longer has it, and others stay', async () => {
  const asked: unknown[] = []
  const each = async (_query: string, parameters: { ids: unknown[] }) => void asked.push(parameters.ids)
  const nodes = [node('1', []), { ...node('2', ['L']), properties: propertiesOf({ id: 'x' }) }]
  const left = await withoutDeleted({ origin: { each } as unknown as Reading['origin'], plan }, nodes as never)
  expect([asked, left]).toEqual([[['1']], [nodes[1]]])
})

test('a limited read of nodes is not taken for complete, although one of its rows is of a deleted node', async () => {
  const rows = [1n, 2n, 3n].map((id) => [id, ['Person'], id === 1n ? null : { id: `p${id}` }])
  const origin = answeringOrigin((query) => (query.includes('LIMIT 3') ? rows : []))
  const reading = { ...nothingLearned(), origin, plan, sizes: { probe: 10, group: 10, chunk: 2 } }
  expect(await readNodesByIds(reading, ['p1', 'p2', 'p3', 'p4'], 2)).toBeNull()
})
