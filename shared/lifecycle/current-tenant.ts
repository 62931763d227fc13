import { AsyncLocalStorage } from 'node:async_hooks'

const tenants = new AsyncLocalStorage<string>()

/** Does work that counts for a tenant, an org or a token, where tenants share a limit of the process. */
export const asTenant = <T>(tenant: string, work: () => T): T => tenants.run(tenant, work)
/** The tenant of the current work; '' if it has none. */
export const currentTenant = (): string => tenants.getStore() ?? ''
