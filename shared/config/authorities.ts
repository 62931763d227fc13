import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'

const [begin, end] = ['-----BEGIN CERTIFICATE-----', '-----END CERTIFICATE-----']

/** The certificates of a PEM file. @throws {Error} naming the rule, never the content: the file may hold a key. */
export function readAuthorities(path: string): string[] {
  const begun = contentOf(path).split(begin).slice(1)
  const found = begun.filter((text) => text.includes(end)).map((text) => begin + text.slice(0, text.indexOf(end)) + end)
  if (found.length === 0) throw new Error('the file must hold certificates in PEM')
  const broken = found.findIndex((text) => !isCertificate(text))
  if (broken !== -1) throw new Error(`certificate ${broken + 1} of the file is broken`)
  return found
}

function contentOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new Error(`the file cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
}

function isCertificate(text: string): boolean {
  try {
    return new X509Certificate(text).fingerprint256 !== ''
  } catch {
    return false
  }
}
