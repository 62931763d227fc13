import type { SelectElement } from '../../shared/request/select.ts'
import { usageError } from '../exit.ts'

type Where = NonNullable<SelectElement['where']>

/** What `--all` and `--select` publish without a request: nodes, and their outgoing relationships of every type. */
export const selectedRequest = { metadata: true, relationships: ['*>'], preventCleanup: true }

const isJson = /^(?:".*"|\[.*\]|true|false)$/s

/**
 * Reads `Label`, or `Label where key=value and key=value`. A value is text, or JSON if it is in double quotes, a list in
 * brackets, `true` or `false`. @throws Failure (usage)
 */
export function parseSelect(text: string): SelectElement {
  const at = text.indexOf(' where ')
  const label = (at === -1 ? text : text.slice(0, at)).trim()
  if (label === '') throw usageError(`--select: "${text}" names no label`)
  if (at === -1) return { label }
  const where: Where = {}
  for (const condition of conditionsOf(text.slice(at + ' where '.length))) {
    const equals = condition.indexOf('=')
    const key = condition.slice(0, equals).trim()
    if (equals === -1 || key === '') throw usageError(`--select: "${condition}" must be key=value`)
    if (Object.hasOwn(where, key)) throw usageError(`--select: "${key}" is named twice; use key=["a","b"]`)
    where[key] = jsonOrText(condition.slice(equals + 1).trim())
  }
  return { label, where }
}

/** The conditions between `and`. JSON may hold the word. */
function conditionsOf(text: string): string[] {
  const conditions: string[] = []
  for (const piece of text.split(' and ')) {
    const before = conditions.at(-1)
    if (before !== undefined && isOpen(before)) conditions[conditions.length - 1] = `${before} and ${piece}`
    else conditions.push(piece)
  }
  return conditions
}

function isOpen(condition: string): boolean {
  const value = condition.slice(condition.indexOf('=') + 1).trim()
  return /^["[]/.test(value) && parsed(value) === undefined
}

function jsonOrText(text: string): Where[string] {
  const value = (isJson.test(text) ? parsed(text) : text) as Where[string] | undefined
  if (value === undefined) throw usageError(`--select: ${text} is not valid JSON`)
  return value
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
