import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'

/** What one process counts. Every label has few values: no ids, no names of clients. */
export function createMetrics() {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const registers = [registry]
  return {
    registry,
    requests: new Histogram({
      name: 'http_request_duration_seconds',
      help: 'Time from request to answer',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 60],
      registers,
    }),
    jobs: new Counter({ name: 'jobs_total', help: 'Runs of jobs by outcome', labelNames: ['outcome'], registers }),
    parts: new Counter({ name: 'parts_total', help: 'Parts staged in the object store', registers }),
    pairs: new Counter({ name: 'pairs_total', help: 'Statement/parameter pairs staged', registers }),
    bytes: new Counter({ name: 'part_bytes_total', help: 'Bytes of parts staged', registers }),
    swept: new Counter({
      name: 'swept_objects_total',
      help: 'Leftover objects that the janitor removed',
      labelNames: ['kind'],
      registers,
    }),
    plainFilesFailed: new Counter({
      name: 'plain_files_failed_total',
      help: 'Plain-file views not brought up to date',
      registers,
    }),
  }
}

export type Metrics = ReturnType<typeof createMetrics>
