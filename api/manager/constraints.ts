import { constraint } from '../../shared/models/constraints.ts'
import { name } from '../../shared/models/fields.ts'
import { grnOf } from '../../shared/models/grn.ts'
import { managerVersion } from '../../shared/models/resources.ts'
import { byName } from '../../shared/models/selector.ts'
import { listEndpoint } from './list-endpoint.ts'
import { byItsGrn } from './selected-record.ts'

/** Seed, Manager: constraints. They are derived from the flags of property implementations, hence read-only. */
export const constraints = [
  listEndpoint('constraints/:managerVersionGrn', {
    summary: 'List the constraints of a manager version',
    params: { managerVersionGrn: grnOf('managerversion') },
    of: constraint,
    records: (models, params, page) => models.constraints(byItsGrn(params), page),
  }),
  listEndpoint('constraints/name/:managerVersionName', {
    summary: 'List the constraints of a manager version by its name',
    params: { managerVersionName: name },
    of: constraint,
    records: (models, params, page) => models.constraints(byName(managerVersion, params.managerVersionName), page),
  }),
]
