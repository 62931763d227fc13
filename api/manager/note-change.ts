import type { Input } from '../http/endpoint.ts'

const actions = {
  get: null,
  post: 'model.create',
  put: 'model.change',
  delete: 'model.delete',
  import: 'model.import',
  copy: 'model.copy',
} as const

/**
 * Writes the audit line of a request that has changed a model. `answer` has the record under the name of its kind, or
 * no record.
 */
export function noteChange({ changed, params }: Input, how: keyof typeof actions, answer: object): void {
  const action = actions[how]
  const [record] = Object.values(answer) as { grn?: string }[]
  if (action !== null) changed({ action, grn: record?.grn ?? null, params })
}
