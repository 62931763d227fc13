import { z } from 'zod'
import { maxPairsPerPart } from '../../packet/parts/part-buffer.ts'
import { atOnce } from '../../shared/lifecycle/turns.ts'
import { publishRequest } from '../../shared/request/fields.ts'
import { multiSteps } from '../../shared/request/multi.ts'
import { orgInBody } from '../http/access.ts'
import { defineEndpoint } from '../http/endpoint.ts'
import { trueOrFalse, wholeNumber } from '../http/query.ts'
import { multiExample } from '../submission/examples.ts'
import { publish } from '../submission/publish.ts'
import { submittedAnswers } from '../submission/stored-answers.ts'
import { dryRun, isDryRun, publishOrDryRun } from '../unstored/dry-run-query.ts'

const batchSize = wholeNumber(1, maxPairsPerPart).optional()

function* readInSteps(body: unknown, _params: object, query?: unknown) {
  const { multi, issues } = yield* multiSteps(body, { isDryRun: isDryRun(query) })
  return { value: multi, issues }
}

/** Seed, Publish #4; contract 7.4. */
export const createMulti = defineEndpoint({
  method: 'post',
  path: '/1.0/publish/multi',
  summary: 'Publish up to 10,000 requests of up to 500 ids each as one packet',
  scope: 'publish:write',
  access: orgInBody,
  query: z
    .strictObject({ batchsize: batchSize, batchSize, forceOverwrite: trueOrFalse.optional(), dryRun })
    .refine(({ batchsize, batchSize = batchsize }) => batchsize === undefined || batchsize === batchSize, {
      path: ['batchsize'],
      message: 'must not differ from batchSize',
    }),
  body: {
    /** Bytes of the body of a multi. Beyond this limit the answer is `413 bodyTooLarge`. */
    limitBytes: 32 * 1024 * 1024,
    schema: z.array(publishRequest).min(1).max(10_000),
    example: multiExample,
    read: (...given) => atOnce(readInSteps(...given)),
    readInSteps,
  },
  takes: ['Prefer', 'Idempotency-Key'],
  answer: publishOrDryRun,
  answers: submittedAnswers,
  async handle(context, { query, body: { returnOnly, ...multi }, ...caller }) {
    const { batchsize, batchSize = batchsize, forceOverwrite = false, dryRun } = query
    const submission = {
      kind: 'multi',
      ...multi,
      batchSize: batchSize ?? maxPairsPerPart,
      force: forceOverwrite,
    } as const
    return publish(context, caller, submission, { returnOnly, dryRun })
  },
})
