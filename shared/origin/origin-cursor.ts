import { Cursor } from '../../packet/packstream/cursor.ts'
import * as errors from '../errors/catalogue.ts'
import { currentTenant } from '../lifecycle/current-tenant.ts'

/** Neo4j sends well-formed data, so the origin is something else, or its connection is broken. */
export const malformed = errors.originMalformed

/** Reads what an origin sent. @throws originBroke (502), in every method, if it is malformed */
export const originCursor = () => new Cursor({ malformed, tenant: currentTenant })
