import { expect } from 'vitest'
import type { ClientAnswer, PublishAnswer } from '../../../dev/client.ts'
import { type Pair, parsePart } from '../../../packet/parts/parse-part.ts'

/** The pairs of a one-part answer, parsed without loss as a replay client must parse them: `1` is not `1.0`. */
export function answeredPairs({ text, body }: ClientAnswer<PublishAnswer>): Pair[] {
  expect(body.error).toBeNull()
  return parsePart(/"transactionRequest":(.*),"transactionRequests"/s.exec(text)?.[1] ?? '')
}
