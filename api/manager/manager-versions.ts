import { name, versionFields } from '../../shared/models/fields.ts'
import { grnOf } from '../../shared/models/grn.ts'
import { managerVersion } from '../../shared/models/resources.ts'
import { byName } from '../../shared/models/selector.ts'
import { managerBody } from './bodies.ts'
import { listEndpoint } from './list-endpoint.ts'
import { recordEndpoint } from './record-endpoint.ts'
import { byItsGrn, read, remove } from './selected-record.ts'

const ofManager = { managerGrn: grnOf('manager') }
const ofVersion = { managerVersionGrn: grnOf('managerversion') }

/** Additive. Contract 10, manager versions; seed, note 3. */
export const managerVersions = [
  listEndpoint('versions/:managerGrn', {
    summary: 'List the versions of a manager',
    params: ofManager,
    of: managerVersion,
    records: (models, params, page) => models.parts(managerVersion, byItsGrn(params), page),
  }),
  recordEndpoint('post', 'version/:managerGrn', {
    summary: 'Add a version to a manager',
    params: ofManager,
    body: managerBody(versionFields, { name: 'films-2' }),
    of: managerVersion,
    answer: (models, { params, body, principal }) =>
      models.createVersion(byItsGrn(params), body.name ?? null, principal.name),
  }),
  read('version/:managerVersionGrn', managerVersion, {
    summary: 'Read a manager version',
    params: ofVersion,
    select: byItsGrn,
  }),
  read('version/name/:managerVersionName', managerVersion, {
    summary: 'Read a manager version by its name',
    params: { managerVersionName: name },
    select: ({ managerVersionName }) => byName(managerVersion, managerVersionName),
  }),
  remove('version/:managerVersionGrn', {
    summary: 'Delete a manager version with all that is in it',
    params: ofVersion,
    select: byItsGrn,
  }),
]
