/** How a parameter is written: `{name}` for ONgDB 1.x and Neo4j 3.x, else `$name`. Contract 5, replay syntax. */
export type ParameterSyntax = 'braces' | 'dollar'

/** How statements are written if a request does not say. */
export const defaultSyntax: ParameterSyntax = 'braces'

export interface Param {
  name: string
}

/** A statement's text with its parameters left open until the syntax is known. */
export type Template = readonly (string | Param)[]

export const param = (name: string): Param => ({ name })

/** Template tag for statement texts: inlines strings and templates, leaves parameters open. */
export function template(texts: TemplateStringsArray, ...values: readonly (string | Param | Template)[]): Template {
  const parts: (string | Param)[] = [texts[0] as string]
  values.forEach((value, index) => {
    // Do not spread this into one `push` call: a node may have more properties than a call accepts arguments.
    for (const part of Array.isArray(value) ? (value as Template) : [value as string | Param]) parts.push(part)
    parts.push(texts[index + 1] as string)
  })
  return parts
}

/** Joins templates with a separator. */
export function join(templates: readonly Template[], separator: string): Template {
  return templates.flatMap((part, index) => (index === 0 ? part : [separator, ...part]))
}

/** The statement's text. Parameter names are always plain identifiers, so either syntax needs no quoting. */
export function render(parts: Template, syntax: ParameterSyntax): string {
  let text = ''
  for (const part of parts) {
    if (typeof part === 'string') text += part
    else text += syntax === 'braces' ? `{${part.name}}` : `$${part.name}`
  }
  return text
}

const plain = /^[A-Za-z_][A-Za-z0-9_]*$/
const reserved = /^(ids|baseId|ids_\d+|a_id|b_id|startId|endId|__proto__|constructor|prototype)$/

/**
 * A parameter name for each property key, in the given order: the key itself where possible, else `p_0`, `p_1`, …
 * skipping names in use. `taken` are further names that the statement uses (`id` on a node whose id property has
 * another name). Contract 5, parameter names.
 */
export function parameterNames(keys: readonly string[], taken: readonly string[] = []): string[] {
  const free = (key: string) => plain.test(key) && !reserved.test(key) && !taken.includes(key)
  const used = new Set([...taken, ...keys.filter(free)])
  let next = 0
  return keys.map((key) => {
    if (free(key)) return key
    while (used.has(`p_${next}`)) next++
    return `p_${next++}`
  })
}
