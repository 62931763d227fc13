import type { IncomingMessage } from 'node:http'

const lateMs = 15 * 60_000

/** Whether a request to an S3 server was signed over fifteen minutes ago, or ahead. */
export function isLate({ headers }: IncomingMessage): boolean {
  const date = String(headers['x-amz-date'] ?? '').replace(
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\dZ)$/,
    '$1-$2-$3T$4:$5:$6',
  )
  return Math.abs(Date.now() - Date.parse(date)) > lateMs
}
