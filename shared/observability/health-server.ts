import type { RequestListener } from 'node:http'
import { listen } from '../lifecycle/listen.ts'
import type { Releases } from '../lifecycle/releases.ts'
import type { AnswerHealth } from './health.ts'
import type { Logger } from './log.ts'

/** Answers GET on the paths that `answerTo` knows, and everything else with 404. */
export const healthListener =
  (answerTo: AnswerHealth): RequestListener =>
  async (request, response) => {
    const answer = request.method === 'GET' ? await answerTo(request.url ?? '') : null
    if (answer === null) response.writeHead(404).end()
    else response.writeHead(answer.status, { 'Content-Type': answer.type }).end(answer.body)
  }

/**
 * Serves `/metrics` on a separate port, if the settings have one.
 * @returns the answers for the program's main port; without `/metrics` if it has a separate port.
 */
export async function separateMetrics(
  answerTo: AnswerHealth,
  settings: { host: string; port: number } | null,
  log: Logger,
  releases: Releases,
): Promise<AnswerHealth> {
  if (settings === null) return answerTo
  const metricsOnly: AnswerHealth = async (path) => (path === '/metrics' ? answerTo(path) : null)
  await listen(healthListener(metricsOnly), settings, log, releases, {
    name: 'metrics server',
    drainMs: 0,
    graceMs: 1_000,
  })
  return async (path) => (path === '/metrics' ? null : answerTo(path))
}
