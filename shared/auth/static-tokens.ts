import { createHash, timingSafeEqual } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { z } from 'zod'
import { orgName } from '../../packet/names.ts'
import { scopes } from '../../wire/whoami.ts'
import type { Principal } from './principal.ts'

const tokensFile = z.array(
  z.strictObject({
    name: z.string().min(1),
    sha256: z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 digest in lower-case hex'),
    orgs: z.array(z.literal('*').or(orgName)),
    scopes: z.array(z.enum(scopes)),
  }),
)

export interface TokenLog {
  info(fields: object, message: string): void
  error(fields: object, message: string): void
}

const checkedEveryMs = 1_000

/**
 * Authenticates static tokens by their digests in a file. It reloads the file after a change; an invalid file leaves
 * the tokens unchanged. Contract 9. @throws Error at start, if the file is missing or invalid.
 */
export function createStaticTokens(path: string, log: TokenLog): (token: string) => Principal | null {
  let version = versionOf(path)
  let checked = Date.now()
  let entries = readTokens(path)

  function refresh() {
    if (Date.now() - checked < checkedEveryMs) return
    checked = Date.now()
    try {
      const now = versionOf(path)
      if (now === version) return
      entries = readTokens(path)
      version = now
      log.info({ tokens: entries.length }, 'tokens file reloaded')
    } catch (error) {
      log.error({ err: error }, 'the tokens file cannot be read; the tokens read before stay valid')
    }
  }

  return (token) => {
    refresh()
    const digest = createHash('sha256').update(token).digest()
    let found: Principal | null = null
    // Compares every entry, so that timing does not reveal which one matches.
    for (const { sha256, ...grant } of entries) {
      if (timingSafeEqual(sha256, digest)) found = { ...grant, identity: grant.name, expiresAt: null }
    }
    return found
  }
}

/** The modification time alone is not enough: a copy may keep it, and all files of an image may share it. */
function versionOf(path: string): string {
  const { dev, ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true })
  return [dev, ino, size, mtimeNs, ctimeNs].join(' ')
}

/** Reads the entries of a tokens file, with digests as bytes. @throws Error naming the setting and the rule, in a line. */
export function readTokens(path: string) {
  const parsed = tokensFile.safeParse(parsedJson(contentOf(path)))
  if (!parsed.success) {
    const lines = z.prettifyError(parsed.error).split('\n')
    throw new Error(`AUTH_TOKENS: ${lines.map((line) => line.trim()).join(' ')}`)
  }
  return parsed.data.map(({ sha256, ...grant }) => ({ ...grant, sha256: Buffer.from(sha256, 'hex') }))
}

function contentOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new Error(`AUTH_TOKENS: the file cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The parser's own message quotes the text, which may be a bare token put there by mistake.
    throw new Error('AUTH_TOKENS: the file is not valid JSON')
  }
}
