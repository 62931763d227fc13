import { z } from 'zod'
import { maxPairsPerPart } from '../../packet/parts/part-buffer.ts'
import { publishRequest } from '../../shared/request/fields.ts'
import { parsePublishRequest } from '../../shared/request/rules.ts'
import { orgInBody } from '../http/access.ts'
import { defineEndpoint } from '../http/endpoint.ts'
import { publishExample } from '../submission/examples.ts'
import { publish } from '../submission/publish.ts'
import { submittedAnswers } from '../submission/stored-answers.ts'
import { dryRun, isDryRun, publishOrDryRun } from '../unstored/dry-run-query.ts'

/** Seed, Publish #3; contract 7.3. */
export const createPacket = defineEndpoint({
  method: 'post',
  path: '/1.0/publish/',
  summary: 'Publish up to 500 ids as a packet',
  scope: 'publish:write',
  access: orgInBody,
  query: z.strictObject({ dryRun }),
  body: {
    /** Bytes of the body of a publish. Beyond this limit the answer is `413 bodyTooLarge`. */
    limitBytes: 1024 * 1024,
    schema: publishRequest,
    example: publishExample,
    read(body, _params, query) {
      const { request, issues } = parsePublishRequest(body, { isDryRun: isDryRun(query) })
      return { value: request, issues }
    },
  },
  takes: ['Prefer', 'Idempotency-Key'],
  answer: publishOrDryRun,
  answers: submittedAnswers,
  async handle(context, { query: { dryRun }, body: request, ...caller }) {
    const { orgName = '', fileName = '' } = request
    const submission = {
      kind: 'publish',
      requests: [request],
      orgName,
      fileName,
      batchSize: maxPairsPerPart,
      force: false,
    } as const
    return publish(context, caller, submission, { returnOnly: request.returnOnly === true, dryRun })
  },
})
