import { expect, test } from 'vitest'
import type { ManagerDatabase } from '../../../shared/models/database.ts'
import { createModels } from '../../../shared/models/repository.ts'
import { manager, managerVersion } from '../../../shared/models/resources.ts'
import { byGrn } from '../../../shared/models/selector.ts'

const written: string[] = []
const row = Array.from({ length: 12 }, (_, at) => `value${at}`)
const database: ManagerDatabase = {
  read: async () => [row],
  async write(statement) {
    written.push(...[statement()].flat().map(({ query }) => query))
    return [row]
  },
  close: async () => {},
}
const models = createModels(database)
const ofOrg = models.visibleTo({ orgs: ['films'] })
const ofAll = models.visibleTo({ orgs: ['*'] })
const films = byGrn(manager, 'grn:gg:manager:films')
const refused = { status: 403, code: 'nameReserved' }

test('only a token of all orgs may give the name of the manager that search follows', async () => {
  await expect(ofOrg.createManager('default', 'ann', 'films')).rejects.toMatchObject(refused)
  expect(written).toEqual([])
  await ofOrg.createManager('Default', 'ann', 'films')
  await ofAll.createManager('default', 'ann', 'films')
  expect(written).toHaveLength(2)
})

test('a version of that name is refused as well, because a manager shares its name with its first version', async () => {
  written.length = 0
  await expect(ofOrg.createVersion(films, 'default', 'ann')).rejects.toMatchObject(refused)
  const source = byGrn(managerVersion, 'grn:gg:managerversion:films')
  await expect(ofOrg.copied(source, 'default', 'ann')).rejects.toMatchObject(refused)
  expect(written).toEqual([])
  await ofOrg.createVersion(films, null, 'ann')
  await ofAll.createVersion(films, 'default', 'ann')
  expect(written).toHaveLength(2)
})

test('a token of another org learns nothing about the name', async () => {
  await expect(ofOrg.createManager('default', 'ann', 'other')).rejects.toMatchObject({ status: 404, code: 'noSuchOrg' })
})
