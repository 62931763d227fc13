import type { Grant, Principal } from '../auth/principal.ts'
import * as errors from '../errors/catalogue.ts'
import { constraint, constraintsFollow, constraintsPageStatement, constraintsStatement } from './constraints.ts'
import type { DatabaseRow, ManagerDatabase } from './database.ts'
import { DuplicateError } from './failures.ts'
import { isMeantAsGrn } from './grn.ts'
import {
  implementationOf,
  implementationsStatement,
  implementedOf,
  implementedStatement,
  implementStatement,
  missingStatement,
} from './implementations.ts'
import {
  importingStatement,
  latestModelStatement,
  type ModelledType,
  modelledTypesOf,
  modelledTypesStatement,
} from './latest-model.ts'
import { duplicateIs, list, only, takenKey } from './outcomes.ts'
import type { ModelPage } from './pages.ts'
import { type ModelRecord, recordOf } from './records.ts'
import { markStatement, removeSomeStatement, removeStatement, sizeStatement, unfinishedStatement } from './removal.ts'
import { manager, managerVersion, property, propertyImpl, type Resource, type ResourceFields } from './resources.ts'
import { byGrn, byName, type Selector } from './selector.ts'
import * as statements from './statements.ts'
import { bindingOf, copyInto, exportOf, type Imported, importInto } from './transfer.ts'
import type { VersionDocument } from './version-document.ts'
import {
  createManagerStatement,
  createVersionStatement,
  freeNumberStatement,
  managersStatement,
  sharedManager,
} from './versions.ts'

/** Allowed envers of the record to change (null: any), and the author of the change. */
export interface ModelChange {
  ifMatch: readonly number[] | null
  principal: Pick<Principal, 'name'>
}

/** The models that a grant covers. */
export type Models = ReturnType<typeof modelsOf>
export interface AllModels extends Models {
  /** Restricts the models to the orgs of a grant. */
  visibleTo(grant: Pick<Grant, 'orgs'>): Models
  /** The same models for one reader: `check` runs before each query that reads, and its error ends the reading. */
  checkedBy(check: () => void): AllModels
}

/** The models of all orgs. */
export const createModels = (database: ManagerDatabase): AllModels => ({
  ...modelsOf(database),
  visibleTo: ({ orgs }) => modelsOf(database, orgs.includes('*') ? undefined : orgs),
  checkedBy(check) {
    const read: ManagerDatabase['read'] = async (statement) => {
      check()
      return database.read(statement)
    }
    return createModels({ ...database, read })
  },
})

/**
 * Each write is one transaction, except copies, large imports and large removals. Hides records outside `orgs`.
 * @throws noSuchRecord (404), duplicateRecord (409), otherEnver (412), managerAway (503)
 */
function modelsOf(database: ManagerDatabase, orgs?: readonly string[]) {
  const { read, write } = database
  const visible = (selector: Selector): Selector => (orgs === undefined ? selector : { ...selector, orgs })
  async function removeSteps(grn: string): Promise<void> {
    for (let isOver = false; !isOver; ) isOver = (await write(() => removeSomeStatement(grn)))[0]?.[0] === 0
  }
  async function finishRemoval(selector: Selector): Promise<void> {
    const left = (await read(unfinishedStatement(visible(selector)))).flat() as string[]
    if (left.length === 0) throw errors.noSuchRecord(selector.description)
    for (const grn of left) await removeSteps(grn)
  }
  // A version's name counts too: a manager shares its name with its first version.
  function requireGivable(name: string | null): void {
    if (orgs !== undefined && name === sharedManager) throw errors.nameReserved(name)
  }
  return {
    ping: () => read({ query: 'RETURN 1', parameters: {} }),

    async find(selector: Selector): Promise<ModelRecord> {
      return recordOf(selector.resource, only(selector, await read(statements.findStatement(visible(selector)))))
    },

    async managers(page?: ModelPage): Promise<ModelRecord[]> {
      return (await read(managersStatement(orgs, page))).map((row) => recordOf(manager, row))
    },

    async parts(resource: Resource, whole: Selector, page?: ModelPage): Promise<ModelRecord[]> {
      const rows = await read(statements.partsStatement(resource, visible(whole), page))
      return list(whole, rows, (row) => recordOf(resource, row))
    },

    async implemented(nodeType: Selector, page?: ModelPage): Promise<ModelRecord[]> {
      return list(nodeType, await read(implementedStatement(visible(nodeType), page)), implementedOf)
    },

    /** Implementations of a node type or of a property. */
    async implementations(end: Selector, page?: ModelPage): Promise<ModelRecord[]> {
      return list(end, await read(implementationsStatement(visible(end), page)), implementationOf)
    },

    async constraints(version: Selector, page?: ModelPage): Promise<ModelRecord[]> {
      const toRecord = (row: DatabaseRow) => recordOf(constraint, row)
      if (page === undefined) return list(version, await read(constraintsStatement(visible(version))), toRecord)
      const rows = await read(constraintsPageStatement(visible(version), page))
      if (rows.length === 0) only(version, await read(statements.findStatement(visible(version))))
      return rows.map(toRecord)
    },

    /** Streams a version's document. */
    async exported(version: Selector): Promise<AsyncIterable<VersionDocument>> {
      only(version, await read(statements.findStatement(visible(version))))
      return exportOf(read, visible(version))
    },

    async imported(version: Selector, document: VersionDocument, by: string): Promise<Imported> {
      only(version, await read(statements.findStatement(visible(version))))
      return importInto(write, visible(version), document, by)
    },

    /** Copies a version into a new one of the same manager. If the copy fails, the new version is deleted. */
    async copied(source: Selector, name: string | null, by: string): Promise<ModelRecord> {
      const { manager: of } = await this.find(source)
      const made = await this.createVersion(byGrn(manager, of as string), name, by)
      const version = byGrn(managerVersion, made.grn)
      try {
        await copyInto(database, version, visible(source), by)
      } catch (error) {
        await this.remove(version, null).catch(() => {})
        throw error
      }
      return made
    },

    /** Node type keys, oldest first, of a manager's latest version that has any, and a reader of the types. */
    async latest(managerName: string) {
      const rows = (await read(latestModelStatement(visible(byName(manager, managerName))))) as [string, string][]
      const types = async (keys: readonly string[]): Promise<ModelledType[]> =>
        rows[0] ? modelledTypesOf(await read(modelledTypesStatement(rows[0][0], keys)), keys) : []
      return { keys: rows.map(([, key]) => key), types }
    },

    /**
     * The manager version that a publish is bound to: its grn and its document, without the fields that a publish does
     * not need. `name`: its grn, or the name of its manager for the latest version. The call and the document throw
     * noSuchRecord (404), also if the version is being imported for the first time.
     */
    async bindable(name: string): Promise<{ grn: string; document: AsyncIterable<VersionDocument> }> {
      let grn = name
      if (!isMeantAsGrn(name)) {
        const [row] = await read(latestModelStatement(visible(byName(manager, name))))
        if (row === undefined) throw errors.noSuchRecord(`manager named "${name}" with a version that has node types`)
        grn = row[0] as string
      }
      const version = visible(byGrn(managerVersion, grn))
      const requireComplete = async () => {
        const [isImporting] = only(version, await read(importingStatement(version)))
        if (isImporting) throw errors.noSuchRecord(`${version.description} that is complete`)
      }
      async function* document() {
        yield* bindingOf(read, version)
        // If the version was deleted during the read, the rest is missing.
        await requireComplete()
      }
      await requireComplete()
      return { grn, document: document() }
    },

    /** @throws noSuchOrg (404), nameReserved (403) */
    async createManager(name: string, by: string, orgName?: string): Promise<ModelRecord> {
      if (orgs && !orgs.some((org) => org === orgName)) throw errors.noSuchOrg(orgName ?? '')
      requireGivable(name)
      const taken = `name: a manager or a manager version is already named "${name}"`
      const rows = await write(() => createManagerStatement(name, by, orgName)).catch(duplicateIs(taken))
      return recordOf(manager, rows[0] as DatabaseRow)
    },

    /** @throws nameReserved (403) */
    async createVersion(of: Selector, name: string | null, by: string): Promise<ModelRecord> {
      requireGivable(name)
      const taken = `name: a manager version already has ${name === null ? 'the next name' : `the name "${name}"`}`
      const create = (least?: number) => write(() => createVersionStatement(visible(of), name, by, least))
      // A name derived from the next number may be taken: a client may have given it, or created it concurrently.
      const passTaken = async (error: unknown) => {
        if (name !== null || !(error instanceof DuplicateError)) throw error
        return create((await read(freeNumberStatement(visible(of))))[0]?.[0] as number)
      }
      const rows = await create().catch(passTaken).catch(passTaken).catch(duplicateIs(taken))
      return recordOf(managerVersion, only(of, rows))
    },

    async createPart(resource: Resource, whole: Selector, sent: ResourceFields & { key: string }, by: string) {
      const statement = () => statements.createPartStatement(resource, visible(whole), sent, by)
      const rows = await write(statement).catch(duplicateIs(takenKey(resource, sent.key)))
      return recordOf(resource, only(whole, rows))
    },

    async implement(nodeType: Selector, propertyGrn: string, sent: ResourceFields, by: string): Promise<ModelRecord> {
      const taken = `propertyGrn: the property "${propertyGrn}" is already implemented on this node type`
      const rows = await write(() => implementStatement(visible(nodeType), propertyGrn, sent, by)).catch(
        duplicateIs(taken),
      )
      if (rows[0] !== undefined) return recordOf(propertyImpl, rows[0])
      const missing = (await read(missingStatement([nodeType.value, propertyGrn], orgs))).flat()
      if (missing.includes(nodeType.value)) throw errors.noSuchRecord(nodeType.description)
      if (missing.includes(propertyGrn)) throw errors.noSuchRecord(byGrn(property, propertyGrn).description)
      const rule = 'must be a property of the same manager version as the node type'
      throw errors.invalidRequest([{ path: 'propertyGrn', message: rule }])
    },

    async update(
      selector: Selector,
      changes: ResourceFields,
      { ifMatch, principal: { name: by } }: ModelChange,
    ): Promise<ModelRecord> {
      const { resource, value } = selector
      const statement = () => {
        const consequence = resource === propertyImpl ? constraintsFollow(value, by) : undefined
        return statements.updateStatement(visible(selector), changes, ifMatch, by, consequence)
      }
      const rows = await write(statement).catch(duplicateIs(takenKey(resource, changes.key)))
      const [isChanged, ...row] = only(selector, rows)
      if (!isChanged) throw errors.otherEnver(resource.noun)
      return recordOf(resource, row)
    },

    async remove(selector: Selector, ifMatch: readonly number[] | null): Promise<void> {
      const [found] = await read(sizeStatement(visible(selector)))
      if (found === undefined) return finishRemoval(selector)
      const [grn, isSmall] = found as [string, boolean]
      const remove = isSmall ? removeStatement : markStatement
      const [isRemoved] = only(selector, await write(() => remove(visible(selector), ifMatch)))
      if (!isRemoved) throw errors.otherEnver(selector.resource.noun)
      if (!isSmall) await removeSteps(grn)
    },
  }
}
