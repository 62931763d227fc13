import { constraint } from '../../shared/manager/constraints.ts'
import { name } from '../../shared/manager/fields.ts'
import { grnOf } from '../../shared/manager/grn.ts'
import { managerVersion } from '../../shared/manager/resources.ts'
import { byGrn, byName } from '../../shared/manager/selector.ts'
import { managerEndpoint } from './manager-endpoint.ts'
import { listOf } from './record-schemas.ts'

/** Seed, Manager: constraints. They follow from the flags of property implementations, so they are read only. */
export const constraints = [
  managerEndpoint('get', 'constraints/:managerVersionGrn', {
    summary: 'List the constraints of a manager version',
    params: { managerVersionGrn: grnOf('managerversion') },
    gives: listOf(constraint),
    answer: async (models, { params }) => ({
      constraints: await models.constraints(byGrn(managerVersion, params.managerVersionGrn)),
    }),
  }),
  managerEndpoint('get', 'constraints/name/:managerVersionName', {
    summary: 'List the constraints of a manager version by its name',
    params: { managerVersionName: name },
    gives: listOf(constraint),
    answer: async (models, { params }) => ({
      constraints: await models.constraints(byName(managerVersion, params.managerVersionName)),
    }),
  }),
]
