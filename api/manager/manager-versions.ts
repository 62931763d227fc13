import { name, versionFields } from '../../shared/models/fields.ts'
import { grnOf } from '../../shared/models/grn.ts'
import { manager, managerVersion } from '../../shared/models/resources.ts'
import { byGrn, byName } from '../../shared/models/selector.ts'
import { managerBody } from './bodies.ts'
import { listEndpoint } from './list-endpoint.ts'
import { managerEndpoint } from './manager-endpoint.ts'
import { empty, nothing, oneOf } from './record-schemas.ts'

const ofManager = { managerGrn: grnOf('manager') }
const ofVersion = { managerVersionGrn: grnOf('managerversion') }

/** Additive. Contract 10, manager versions; seed, note 3. */
export const managerVersions = [
  listEndpoint('versions/:managerGrn', {
    summary: 'List the versions of a manager',
    params: ofManager,
    of: managerVersion,
    records: (models, params, page) => models.parts(managerVersion, byGrn(manager, params.managerGrn), page),
  }),
  managerEndpoint('post', 'version/:managerGrn', {
    summary: 'Add a version to a manager',
    params: ofManager,
    body: managerBody(versionFields, { name: 'films-2' }),
    gives: oneOf(managerVersion),
    answer: async (models, { params, body, principal }) => ({
      managerVersion: await models.createVersion(byGrn(manager, params.managerGrn), body.name ?? null, principal.name),
    }),
  }),
  managerEndpoint('get', 'version/:managerVersionGrn', {
    summary: 'Read a manager version',
    params: ofVersion,
    gives: oneOf(managerVersion),
    answer: async (models, { params }) => ({
      managerVersion: await models.find(byGrn(managerVersion, params.managerVersionGrn)),
    }),
  }),
  managerEndpoint('get', 'version/name/:managerVersionName', {
    summary: 'Read a manager version by its name',
    params: { managerVersionName: name },
    gives: oneOf(managerVersion),
    answer: async (models, { params }) => ({
      managerVersion: await models.find(byName(managerVersion, params.managerVersionName)),
    }),
  }),
  managerEndpoint('delete', 'version/:managerVersionGrn', {
    summary: 'Delete a manager version with all that is in it',
    params: ofVersion,
    gives: nothing,
    answer: (models, { params, ifMatch }) =>
      models.remove(byGrn(managerVersion, params.managerVersionGrn), ifMatch).then(empty),
  }),
]
