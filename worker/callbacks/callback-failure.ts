import { AppError } from '../../shared/errors/app-error.ts'
import type { JobCallback } from '../../shared/jobs/job.ts'

type CallbackFailure = NonNullable<JobCallback['lastFailure']>

const ofCode: Record<string, CallbackFailure> = {
  callbackUrlRefused: 'notAllowed',
  callbackUrlUnresolved: 'unresolved',
  ECONNREFUSED: 'refused',
  ETIMEDOUT: 'timedOut',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'certificate',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'certificate',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'certificate',
  SELF_SIGNED_CERT_IN_CHAIN: 'certificate',
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificate',
  HOSTNAME_MISMATCH: 'certificate',
}

/** Why an attempt of a callback got no answer. Contract 7, Job. */
export function callbackFailureOf(error: unknown): CallbackFailure {
  const { code = '', name = '' } = (error ?? {}) as { code?: unknown; name?: string }
  if (error instanceof AppError) return ofCode[error.code] ?? 'brokeOff'
  // A time limit aborts the request, whose error has the limit's as its cause.
  if (name === 'TimeoutError' || name === 'AbortError') return 'timedOut'
  if (String(code).startsWith('CERT_')) return 'certificate'
  return ofCode[String(code)] ?? 'brokeOff'
}
