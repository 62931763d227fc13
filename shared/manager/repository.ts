import type { Principal } from '../auth/principal.ts'
import * as errors from '../errors/catalogue.ts'
import { constraint, constraintsFollow, constraintsStatement } from './constraints.ts'
import type { ManagerDatabase, Row } from './database.ts'
import { DuplicateError } from './failures.ts'
import { implementedOf, implementedStatement, implementStatement, missingStatement } from './implementations.ts'
import { latestModelStatement, type ModelledType, modelOf } from './latest-model.ts'
import { type ModelRecord, recordOf } from './records.ts'
import { type Fields, manager, managerVersion, property, propertyImpl, type Resource } from './resources.ts'
import { byGrn, type Selector } from './selector.ts'
import * as statements from './statements.ts'
import { createManagerStatement, createVersionStatement } from './versions.ts'

/** Allowed envers of the record that is changed (null: any), and who changes it. */
export interface Change {
  ifMatch: readonly number[] | null
  principal: Pick<Principal, 'name'>
}

export type Models = ReturnType<typeof createModels>

/**
 * The models in their database. Each operation is one transaction.
 * @throws noSuchRecord (404), duplicateRecord (409), otherEnver (412), managerAway (503)
 */
export function createModels({ read, write }: ManagerDatabase) {
  return {
    ping: () => read({ query: 'RETURN 1', parameters: {} }),

    async find(selector: Selector): Promise<ModelRecord> {
      return recordOf(selector.resource, only(selector, await read(statements.findStatement(selector))))
    },

    async parts(resource: Resource, whole: Selector): Promise<ModelRecord[]> {
      return list(whole, await read(statements.partsStatement(resource, whole)), (row) => recordOf(resource, row))
    },

    async implemented(nodeType: Selector): Promise<ModelRecord[]> {
      return list(nodeType, await read(implementedStatement(nodeType)), implementedOf)
    },

    async constraints(version: Selector): Promise<ModelRecord[]> {
      return list(version, await read(constraintsStatement(version)), (row) => recordOf(constraint, row))
    },

    /** The node types of the latest version of a manager; none without one. */
    async latest(managerName: string): Promise<ModelledType[]> {
      return modelOf(await read(latestModelStatement(managerName)))
    },

    async createManager(name: string, by: string): Promise<ModelRecord> {
      const taken = `name: there is a manager or a manager version named "${name}" already`
      const rows = await write(() => createManagerStatement(name, by)).catch(duplicateIs(taken))
      return recordOf(manager, rows[0] as Row)
    },

    async createVersion(of: Selector, name: string | null, by: string): Promise<ModelRecord> {
      const taken = `name: there is a manager version ${name === null ? 'with the next name' : `named "${name}"`} already`
      const rows = await write(() => createVersionStatement(of, name, by)).catch(duplicateIs(taken))
      return recordOf(managerVersion, only(of, rows))
    },

    async createPart(resource: Resource, whole: Selector, sent: Fields & { key: string }, by: string) {
      const statement = () => statements.createPartStatement(resource, whole, sent, by)
      const rows = await write(statement).catch(duplicateIs(takenKey(resource, sent.key)))
      return recordOf(resource, only(whole, rows))
    },

    async implement(nodeType: Selector, propertyGrn: string, sent: Fields, by: string): Promise<ModelRecord> {
      const taken = `propertyGrn: the property "${propertyGrn}" is implemented on this node type already`
      const rows = await write(() => implementStatement(nodeType, propertyGrn, sent, by)).catch(duplicateIs(taken))
      if (rows[0] !== undefined) return recordOf(propertyImpl, rows[0])
      const missing = (await read(missingStatement([nodeType.value, propertyGrn]))).flat()
      if (missing.includes(nodeType.value)) throw errors.noSuchRecord(nodeType.told)
      if (missing.includes(propertyGrn)) throw errors.noSuchRecord(byGrn(property, propertyGrn).told)
      const rule = 'must be a property of the same manager version as the node type'
      throw errors.invalidRequest([{ path: 'propertyGrn', message: rule }])
    },

    async update(
      selector: Selector,
      changes: Fields,
      { ifMatch, principal: { name: by } }: Change,
    ): Promise<ModelRecord> {
      const { resource, value } = selector
      const statement = () => {
        const consequence = resource === propertyImpl ? constraintsFollow(value, by) : undefined
        return statements.updateStatement(selector, changes, ifMatch, by, consequence)
      }
      const rows = await write(statement).catch(duplicateIs(takenKey(resource, changes.key)))
      const [isChanged, ...row] = only(selector, rows)
      if (!isChanged) throw errors.otherEnver(resource.noun)
      return recordOf(resource, row)
    },

    async remove(selector: Selector, ifMatch: readonly number[] | null): Promise<void> {
      const [isRemoved] = only(selector, await write(() => statements.removeStatement(selector, ifMatch)))
      if (!isRemoved) throw errors.otherEnver(selector.resource.noun)
    },
  }
}

const takenKey = ({ noun }: Resource, key: unknown) =>
  `key: there is a ${noun} with the key "${key}" in this manager version already`

function only(selector: Selector, [row]: readonly Row[]): Row {
  if (row === undefined) throw errors.noSuchRecord(selector.told)
  return row
}

/** Rows of parts; where there is none there is one row of nulls. */
function list(whole: Selector, rows: readonly Row[], toRecord: (row: Row) => ModelRecord): ModelRecord[] {
  return only(whole, rows)[0] === null ? [] : rows.map(toRecord)
}

const duplicateIs = (message: string) => (error: unknown) => {
  throw error instanceof DuplicateError ? errors.duplicateRecord(message) : error
}
