import type { Driver } from 'neo4j-driver'
import { afterAll, expect, inject, test } from 'vitest'
import { openDriver, run } from '../../../dev/replay/neo4j.ts'
import { uniqueName } from '../../../dev/requests.ts'
import type { Neo4jAddress } from '../../../dev/stack/stack.ts'
import { directContent } from '../../../shared/publish/content.ts'
import { manifestOf } from '../../../shared/publish/manifest-view.ts'
import { identifyingNames, printableNames, quoted } from '../../replay/odd-names.ts'

const prefix = uniqueName('Odd')
const names = [...new Set([...identifyingNames, ...printableNames, 'a`b', '``', "'", '"', '// x', '{p: $q}'])]
const ends = names.map((name, at) => ({ label: `${prefix}${name}`, idProperty: names.at(-1 - at) as string }))

/** The manifest of a packet that finds these nodes. */
const content = directContent('dollar', ends, { counts: [], others: 0 })
const generation = { generation: 1, manifest: { jobId: 'j', attempt: 1, createdAt: '', parts: [], content } }
const { constraints } = manifestOf('org', 'file', generation).requires

/** Drops the constraints made here. */
const drop = {
  async 5(driver: Driver) {
    const all = await run(driver, 'SHOW CONSTRAINTS YIELD name, labelsOrTypes')
    for (const [name, [label = ''] = []] of all as [string, string[]?][]) {
      if (label.startsWith(prefix)) await run(driver, `DROP CONSTRAINT ${quoted(name)}`)
    }
  },
  async 3.5(driver: Driver) {
    for (const { label, idProperty } of ends) {
      await run(driver, `DROP CONSTRAINT ON (n:${quoted(label)}) ASSERT n.${quoted(idProperty)} IS UNIQUE`)
    }
  },
}

test.each([
  ['5', 'target'],
  ['3.5', 'legacy'],
] as const)(
  'on Neo4j %s a manifest demands uniqueness, whatever the names, and may do so again',
  async (version, server) => {
    const driver = openDriver(inject('stack')[server] as Neo4jAddress)
    afterAll(() => driver.close())
    expect(constraints?.map(({ label, property }) => ({ label, idProperty: property }))).toEqual(ends)
    for (const { cypher } of constraints ?? []) await run(driver, cypher[version])
    // Neo4j 3.5 fails when it formats the names of an existing constraint, if one has a `%`.
    const again = (constraints ?? []).filter(
      ({ label, property }) => version === '5' || !`${label}${property}`.includes('%'),
    )
    expect(again.length).toBeGreaterThan(20)
    for (const { cypher } of again) await run(driver, cypher[version])
    for (const { label, idProperty } of ends) {
      const create = `CREATE (:${quoted(label)} {${quoted(idProperty)}: 1})`
      await run(driver, create)
      await expect(run(driver, create)).rejects.toThrow(/already exists/)
      await run(driver, `MATCH (n:${quoted(label)}) DELETE n`)
    }
    await drop[version](driver)
  },
)
