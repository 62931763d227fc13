/** A text with a list of JSON objects that may be cut off: `{"transactionRequest":{"statements":[{…},{…`. */
const beginsList = '"statements":['

/** @returns the texts of the first objects of the list that are whole, at most `most` */
export function firstPairs(text: string, most: number): string[] {
  const found: string[] = []
  let at = text.indexOf(beginsList)
  if (at === -1) return found
  at += beginsList.length
  let [depth, startsAt, isText] = [0, at, false]
  for (; at < text.length && found.length < most; at++) {
    const character = text[at]
    if (isText) {
      if (character === '\\') at++
      else if (character === '"') isText = false
    } else if (character === '"') isText = true
    else if (character === '{' || character === '[') {
      if (depth === 0 && character === '{') startsAt = at
      depth++
    } else if (character === '}' || character === ']') {
      depth--
      if (depth < 0) return found
      if (depth === 0) found.push(text.slice(startsAt, at + 1))
    }
  }
  return found
}
