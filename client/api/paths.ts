// Made from the OpenAPI document of the service by `npm test -- unit/client/api-types -u`; a test compares the two.

import type {
  DryRun,
  FileList,
  Job,
  NodeDeleteRequest,
  PacketManifest,
  Problem,
  PublishRequest,
  PublishResponse,
} from './schemas.ts'

export interface paths {
  '/1.0/publish/status': {
    /** Whether the queue and the object store answer */
    get: {
      parameters: object
      responses: {
        200: { content?: never }
        default: { content: { 'application/json': PublishResponse } }
      }
    }
  }
  '/1.0/publish/': {
    /** Publish up to 500 ids as a packet */
    post: {
      parameters: { query?: { dryRun?: 'true' | 'false' }; header?: { Prefer?: string; 'Idempotency-Key'?: string } }
      requestBody: { content: { 'application/json': PublishRequest } }
      responses: {
        200: { content: { 'application/json': PublishResponse | { dryRun: DryRun } } }
        202: { content: { 'application/json': PublishResponse | { dryRun: DryRun } } }
        default: { content: { 'application/json': PublishResponse } }
      }
    }
  }
  '/1.0/publish/multi': {
    /** Publish up to 10,000 requests of up to 500 ids each as one packet */
    post: {
      parameters: {
        query?: { batchsize?: number; batchSize?: number; forceOverwrite?: 'true' | 'false'; dryRun?: 'true' | 'false' }
        header?: { Prefer?: string; 'Idempotency-Key'?: string }
      }
      requestBody: { content: { 'application/json': PublishRequest[] } }
      responses: {
        200: { content: { 'application/json': PublishResponse | { dryRun: DryRun } } }
        202: { content: { 'application/json': PublishResponse | { dryRun: DryRun } } }
        default: { content: { 'application/json': PublishResponse } }
      }
    }
  }
  '/1.0/publish/{orgName}': {
    /** Create an organization, or a sub-directory of one */
    post: {
      parameters: { path: { orgName: string } }
      responses: {
        200: { content: { 'application/json': PublishResponse } }
        default: { content: { 'application/json': PublishResponse } }
      }
    }
    /** List the files of an org that match any of the filters */
    get: {
      parameters: { path: { orgName: string }; query?: { filter?: string | string[]; limit?: number; after?: string } }
      responses: {
        200: { content: { 'application/json': FileList } }
        default: { content: { 'application/json': PublishResponse } }
      }
    }
  }
  '/1.0/publish/{orgName}/{fileName}': {
    /** Read a stored packet, or one of its parts, back */
    get: {
      parameters: { path: { orgName: string; fileName: string }; query?: { parameterSyntax?: 'braces' | 'dollar' } }
      responses: {
        200: { content: { 'application/json': PublishResponse } }
        default: { content: { 'application/json': PublishResponse } }
      }
    }
    /** Remove a stored packet, or a file of others */
    delete: {
      parameters: { path: { orgName: string; fileName: string } }
      responses: {
        200: { content: { 'application/json': PublishResponse } }
        default: { content: { 'application/json': PublishResponse } }
      }
    }
  }
  '/1.0/publish/{orgName}/{fileName}/url': {
    /** Mint time-limited download URIs for a stored packet */
    get: {
      parameters: { path: { orgName: string; fileName: string }; query?: { lifetime?: number } }
      responses: {
        200: { content: { 'application/json': PublishResponse } }
        default: { content: { 'application/json': PublishResponse } }
      }
    }
  }
  '/1.0/publish/{orgName}/{fileName}/manifest': {
    /** Digests of a packet and its parts, its statements by kind, and what a target needs; with lifetime also links */
    get: {
      parameters: {
        path: { orgName: string; fileName: string }
        query?: { lifetime?: number }
        header?: { 'If-None-Match'?: string }
      }
      responses: {
        200: { content: { 'application/json': PacketManifest } }
        304: { content?: never }
        default: { content: { 'application/json': PublishResponse } }
      }
    }
  }
  '/1.0/publish/{orgName}/files': {
    /** Find the files of an org by prefix or substring */
    post: {
      parameters: { path: { orgName: string }; query?: { limit?: number; after?: string } }
      requestBody: { content: { 'application/json': { fileNames?: string[] | null; usePrefixes?: boolean | null } } }
      responses: {
        200: { content: { 'application/json': FileList } }
        default: { content: { 'application/json': PublishResponse } }
      }
    }
  }
  '/1.0/publish/{orgName}/delete': {
    /** Make a packet that deletes nodes by id */
    post: {
      parameters: { path: { orgName: string } }
      requestBody: { content: { 'application/json': NodeDeleteRequest } }
      responses: {
        200: { content: { 'application/json': PublishResponse } }
        default: { content: { 'application/json': PublishResponse } }
      }
    }
  }
  '/1.0/publish/{orgName}/createrelationships': {
    /** Make a packet that draws relationships between existing nodes */
    post: {
      parameters: { path: { orgName: string } }
      requestBody: {
        content: {
          'application/json': {
            startIndex: string
            startIdField: string
            endIndex: string
            endIdField: string
            fileName: string
            type: string
            idPairs: { startId: string; endId: string }[]
            startIdType?: 'string' | 'integer' | null
            endIdType?: 'string' | 'integer' | null
            parameterSyntax?: 'braces' | 'dollar' | null
            expiresAfterDays?: number | null
            compression?: 'none' | 'gzip' | null
          }
        }
      }
      responses: {
        200: { content: { 'application/json': PublishResponse } }
        default: { content: { 'application/json': PublishResponse } }
      }
    }
  }
  '/1.0/manager/export/{managerVersionGrn}': {
    /** Read a whole manager version as one document */
    get: {
      parameters: { path: { managerVersionGrn: string } }
      responses: {
        200: {
          content: {
            'application/json': {
              properties: { key: string }[]
              nodeTypes: { key: string; properties: { key: string }[] }[]
            }
          }
        }
        default: { content: { 'application/problem+json': Problem } }
      }
    }
  }
  '/1.0/jobs': {
    /** List jobs, newest first */
    get: {
      parameters: {
        query?: {
          orgName?: string
          state?: 'queued' | 'running' | 'committing' | 'succeeded' | 'failed' | 'cancelled'
          limit?: number
          after?: string
        }
      }
      responses: {
        200: { content: { 'application/json': { jobs: Job[]; next: string | null } } }
        default: { content: { 'application/problem+json': Problem } }
      }
    }
  }
  '/1.0/jobs/{id}': {
    /** A job as it stands; with wait as soon as it finishes */
    get: {
      parameters: { path: { id: string }; query?: { wait?: number } }
      responses: {
        200: { content: { 'application/json': Job } }
        default: { content: { 'application/problem+json': Problem } }
      }
    }
  }
  '/1.0/jobs/{id}/events': {
    /** Follow a job: an event whenever it has changed, and one when it has finished */
    get: {
      parameters: { path: { id: string } }
      responses: {
        200: { content: { 'text/event-stream': string } }
        default: { content: { 'application/problem+json': Problem } }
      }
    }
  }
  '/1.0/jobs/{id}/result': {
    /** What the publish of a job answered */
    get: {
      parameters: { path: { id: string }; header?: { Prefer?: string } }
      responses: {
        200: { content: { 'application/json': PublishResponse } }
        202: { content: { 'application/json': PublishResponse } }
        default: { content: { 'application/json': PublishResponse; 'application/problem+json': Problem } }
      }
    }
  }
  '/1.0/jobs/{id}/cancel': {
    /** Cancel a publish that is not committed yet */
    post: {
      parameters: { path: { id: string } }
      responses: {
        200: { content: { 'application/json': Job } }
        202: { content: { 'application/json': Job } }
        default: { content: { 'application/problem+json': Problem } }
      }
    }
  }
  '/1.0/jobs/{id}/callback': {
    /** Send the callback of a finished job again */
    post: {
      parameters: { path: { id: string } }
      responses: {
        200: { content: { 'application/json': Job } }
        default: { content: { 'application/problem+json': Problem } }
      }
    }
  }
}
