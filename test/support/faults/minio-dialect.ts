import type { Misbehaviour } from './s3-proxy.ts'

/**
 * A rule of MinIO, as a misbehaviour of another store: it reads the prefix and the start of a listing as paths, and
 * refuses one with a segment `.` or `..`. Seen with its last public source, of 2026-02-12.
 */
export function refusesDotSegments({ method, path }: { method: string; path: string }): Misbehaviour {
  const { searchParams } = new URL(path, 'http://store')
  const names = ['prefix', 'start-after'].flatMap((name) => searchParams.getAll(name))
  const isRefused = method === 'GET' && names.some((name) => name.split('/').some((segment) => /^\.\.?$/.test(segment)))
  return isRefused ? { status: 400, code: 'XMinioInvalidResourceName' } : null
}
