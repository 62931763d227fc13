import { afterAll } from 'vitest'
import { openDriver, run } from '../../../dev/replay/neo4j.ts'
import { uniqueName } from '../../../dev/requests.ts'
import type { Neo4jAddress } from '../../../dev/stack/stack.ts'
import { type ManagerDatabase, openManagerDatabase } from '../../../shared/models/database.ts'
import { createModels } from '../../../shared/models/repository.ts'
import * as resources from '../../../shared/models/resources.ts'
import { byGrn, byName } from '../../../shared/models/selector.ts'

/** The models as one API process opens them; `watch` may wrap the database. */
export function openModels(
  { boltUrl, username, password }: Neo4jAddress,
  watch = (database: ManagerDatabase) => database,
) {
  const settings = { url: boltUrl, user: username, password }
  const database = openManagerDatabase(settings, { warn() {} })
  afterAll(() => database.close())
  return createModels(watch(database))
}

/** The models of a process that dies at its third write. */
export function openDyingModels(address: Neo4jAddress) {
  let writes = 0
  return openModels(address, (database) => ({
    ...database,
    write: (statement: Parameters<ManagerDatabase['write']>[0]) => {
      if (++writes > 2) throw new Error('the process is gone')
      return database.write(statement)
    },
  }))
}

/** The models with a unique user name, which identifies the test's nodes in the shared database. */
export function prepareModels(address: Neo4jAddress) {
  const models = openModels(address)
  const driver = openDriver(address)
  afterAll(() => driver.close())
  const by = uniqueName('user')
  return {
    models,
    driver,
    by,
    change: { ifMatch: null, principal: { name: by } },
    /** The number of nodes that a user created, by default the test's, and how many of them belong to no manager. */
    async nodes(createdBy = by) {
      const [row] = await run(
        driver,
        `MATCH (n:GraphPacketsRecord {createdBy: $createdBy})
RETURN count(n), count(CASE WHEN (n)-[:GRAPH_PACKETS_PART_OF*0..]->(:GraphPacketsManager) THEN null ELSE 1 END)`,
        { createdBy },
      )
      return { all: Number(row?.[0]), orphans: Number(row?.[1]) }
    },
    /** Creates a manager; returns selectors for it and its first version. */
    async newModel(name = uniqueName('model')) {
      const { grn } = await models.createManager(name, by)
      const version = await models.find(byName(resources.managerVersion, name))
      return {
        name,
        manager: byGrn(resources.manager, grn),
        version: byGrn(resources.managerVersion, version.grn),
      }
    },
  }
}

export type PreparedModels = ReturnType<typeof prepareModels>

/** Adds node types and properties to a version, and implements each property on each node type with all flags set. */
export async function fillVersion(
  { models, by, change }: PreparedModels,
  version: ReturnType<typeof byGrn>,
  size: number,
) {
  const numbers = Array.from({ length: size }, (_, index) => `k${index}`)
  for (const key of numbers) {
    const type = await models.createPart(resources.nodeType, version, { key }, by)
    await models.createPart(resources.property, version, { key }, by)
    for (const { grn } of await models.parts(resources.property, version)) {
      const made = await models.implement(byGrn(resources.nodeType, type.grn), grn, {}, by)
      const flags = { unique: true, required: true, indexed: true }
      await models.update(byGrn(resources.propertyImpl, made.grn), flags, change)
    }
  }
}
