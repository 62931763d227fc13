import type { Redis } from 'ioredis'

let count = 0

/**
 * Defines a Lua script that takes named values, and any number of further ones. In the script the names are local
 * variables, and `fields` is the list of the others. A script names its keys itself: one server must hold all keys, as
 * `unsupportedServer` says.
 */
export function script<Name extends string>(names: readonly Name[], lua: string) {
  const command = `script${++count}`
  const others = `local fields = {unpack(ARGV, ${names.length + 1})}`
  const text = names.length === 0 ? lua : `local ${names.join(', ')} = unpack(ARGV)\n${others}\n${lua}`
  /** Sends the script at once, so that a hanging Redis still executes it when it resumes. */
  return <Answer = number>(redis: Redis, values: Record<Name, string | number>, ...fields: string[]) => {
    if (!(command in redis)) redis.defineCommand(command, { numberOfKeys: 0, lua: text })
    const run = redis as unknown as Record<string, (...values: (string | number)[]) => Promise<Answer>>
    return run[command]?.(...names.map((name) => values[name]), ...fields) as Promise<Answer>
  }
}
