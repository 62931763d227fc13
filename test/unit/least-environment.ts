import { ConfigError, type Program, readConfig } from '../../shared/config/config.ts'

export const key = (byte: number) => Buffer.alloc(32, byte)

/** The minimal environment with which a program starts. */
export const least = {
  REDIS_URL: 'redis://127.0.0.1:6379',
  S3_ENDPOINT: 'http://127.0.0.1:9000',
  S3_ACCESS_KEY: 'access',
  S3_SECRET_KEY: 'shared-secret',
  AUTH_TOKENS: 'tokens.json',
  SECRET_KEYS: `k1:${key(1).toString('base64')}`,
}

export function problemsOf(variables: Record<string, string>, program: Program = 'api'): readonly string[] {
  try {
    readConfig(program, variables)
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
  return []
}
