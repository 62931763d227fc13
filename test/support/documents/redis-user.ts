import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const operations = join(import.meta.dirname, '../../../docs/operations.md')

/** The rule of the Redis user that the operations guide gives, without its name and password. */
export const documentedRule: string =
  /^ACL SETUSER packets on >PASSWORD (.*)$/m.exec(readFileSync(operations, 'utf8'))?.[1] ?? ''
