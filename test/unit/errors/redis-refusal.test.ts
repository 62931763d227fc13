import { expect, test } from 'vitest'
import { internal, nothingThere, storeAway } from '../../../shared/errors/catalogue.ts'
import { RedisRefusal, refusalOf, repeatedCause } from '../../../shared/errors/redis-refusal.ts'
import { isRedisAway } from '../../../shared/redis/connect.ts'

/** The words of Redis 6.2, 7 and 8, of Valkey 9.1 and of the client. */
const words: [remedy: string, text: string][] = [
  ['reconnect', "READONLY You can't write against a read only replica."],
  ['reconnect', 'UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)'],
  ['reconnect', 'NOREPLICAS Not enough good replicas to write.'],
  ['reconnect', "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'."],
  ['later', "OOM command not allowed when used memory > 'maxmemory'."],
  ['later', 'LOADING Redis is loading the dataset in memory'],
  ['later', 'BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.'],
  ['later', 'MISCONF Redis is configured to save RDB snapshots, but it is currently unable to persist to disk.'],
  ['later', 'ERR max number of clients reached'],
  ['operator', "NOPERM User app has no permissions to run the 'evalsha' command"],
  ['operator', 'NOPERM this user has no permissions to access one of the keys used as arguments'],
  ['operator', 'ERR ACL failure in script: No permissions to access a key script: 011ebe4b, on @user_script:1.'],
  ['operator', "ERR Error running script: @user_script: 1: The user executing the script can't run this command"],
  ['operator', 'ERR unknown command `evalsha`, with args beginning with: '],
  ['operator', "ERR unknown command 'TIME', with args beginning with: "],
  ['operator', 'ERR Unknown Redis command called from script script: 011ebe4b, on @user_script:1.'],
  ['operator', 'WRONGPASS invalid username-password pair or user is disabled.'],
  ['operator', "CROSSSLOT Keys in request don't hash to the same slot"],
  ['operator', 'ERR Script attempted to access a non local key in a cluster node'],
  ['again', "Stream isn't writeable and enableOfflineQueue options is false"],
  ['again', 'Connection is closed.'],
  ['again', 'Command timed out'],
  [
    'again',
    'Reached the max retries per request limit (which is 1). Refer to "maxRetriesPerRequest" option for details.',
  ],
]

test.each(words)('%s is the remedy of: %s', (remedy, text) => {
  const error = new Error(text)
  expect(refusalOf(error)?.remedy).toBe(remedy)
  expect(isRedisAway(error)).toBe(true)
})

test.each([
  'WRONGTYPE Operation against a key holding the wrong kind of value',
  'ERR value is not an integer or out of range',
  'ERR Error compiling script (new function): user_script:1: unexpected symbol',
  'something else',
])('repeating is no remedy of a mistake of ours: %s', (text) => {
  expect(refusalOf(new Error(text))).toBeNull()
  expect(isRedisAway(new Error(text))).toBe(false)
})

test('a refusal that names its command keeps the meaning and the words of the server', () => {
  const refusal = new RedisRefusal('evalsha', new Error("NOPERM User app has no permissions to run 'evalsha'"))
  expect(refusal.message).toBe("Redis refuses EVALSHA: NOPERM User app has no permissions to run 'evalsha'")
  expect(refusalOf(refusal)?.cause).toBe('rights')
})

test('different words of lost rights are one cause of log lines, and each address that refuses is another', () => {
  const refused = (port: number) => Object.assign(new Error('x'), { code: 'ECONNREFUSED', address: '127.0.0.1', port })
  const rights = words.filter(([, text]) => /NOPERM|ACL failure/.test(text)).map(([, text]) => new Error(text))
  expect(new Set(rights.map(repeatedCause)).size).toBe(1)
  expect(repeatedCause(refused(1))).not.toBe(repeatedCause(refused(2)))
  expect(repeatedCause(new Error('any other'))).toBeNull()
})

test('refusals of the store are one cause for each of its codes', () => {
  const ofCode = (code: string) => repeatedCause(storeAway(Object.assign(new Error('x'), { code })))
  expect(ofCode('SlowDown')).toBe(ofCode('SlowDown'))
  expect(ofCode('SlowDown')).not.toBe(ofCode('AccessDenied'))
})

test('an error for clients is none of Redis, whatever the names in it', () => {
  for (const [, text] of words) expect(isRedisAway(nothingThere(text, 'id'))).toBe(false)
  expect(repeatedCause(nothingThere('BUSY', 'OOM'))).toBeNull()
  expect(isRedisAway(internal(new Error('BUSY')))).toBe(false)
})
