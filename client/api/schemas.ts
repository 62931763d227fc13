// Made from the OpenAPI document of the service by `npm test -- unit/client/api-types -u`; a test compares the two.

export interface PublishResponse {
  transactionRequest: Packet | null
  transactionRequests: Packet[] | null
  fileLocation: string | null
  fileLocations: string[] | null
  fileNames: string[] | null
  error: string | null
  usePrefixes: boolean | null
}

export interface PublishRequest {
  /** bolt:// or bolt+s:// address of the origin database; neo4j:// and neo4j+s:// mean the same */
  dbUrl: string
  /** "Basic " followed by the base64 of username:password */
  credentials: string
  /** name of the database there; the home database of the user if absent */
  database?: string
  /** bookmarks that the origin must have reached before it is read */
  bookmarks?: string[]
  /** id property of each label; DEFAULT_INDEX and DEFAULT_ID_FIELD are required, and its own label must agree with the latter */
  mappedIndices?: Record<string, string>
  /** label of the origin ids, one of mappedIndices; DEFAULT_INDEX if absent */
  index?: string
  /** ids of the nodes to start from; with relationshipIds at most 500 that differ */
  originIds?: string[]
  /** relationships to publish, by their relationshipIdField */
  relationshipIds?: string[]
  /** refuse unless both ends of every relationship in relationshipIds are among originIds */
  hardFilterRelationships?: boolean
  /** relationship types to follow in order; the nodes they lead to are the targeted ones */
  toLayer?: string[]
  /** types of the relationships to publish; TYPE>, <TYPE for one direction */
  relationships?: string[]
  /** leave out the statements that remove stale relationships */
  preventCleanup?: boolean
  /** property that identifies relationships */
  relationshipIdField?: string
  /** publish the properties and labels of targeted nodes */
  metadata?: boolean
  /** properties to remove from published nodes; none that identifies or is protected */
  deleteProperties?: string[]
  /** stamp relationships with timestampProperty */
  timestampRelationships?: boolean
  /** property for stamps, epoch milliseconds; no id property */
  timestampProperty?: string
  /** only statements that delete relationships the origin no longer has */
  relationshipDeleteOnly?: boolean
  /** find stale relationships by relationshipIdField rather than by their ends */
  deleteRelationshipById?: boolean
  /** keep only targeted nodes with this label */
  targetFilter?: string
  /** node properties that are neither published nor overwritten; none that identifies, nor the one of stamps */
  protectedNodeProperties?: string[]
  /** relationship properties that are neither published nor overwritten; not relationshipIdField, nor the one of stamps */
  protectedRelationshipProperties?: string[]
  /** for nodes with the key: labels that are added and removed as at the origin */
  dynamicLabels?: Record<string, string[]>
  /** nest a packet that stamps what was published */
  postbackTimestamp?: boolean
  /** answer the packet without storing it */
  returnOnly?: boolean
  /** directory of the packet; required unless returnOnly */
  orgName?: string
  /** name of the packet; required unless returnOnly */
  fileName?: string
  /** property whose values go to updatedIds */
  searchIdField?: string
  /** only nodes with this label go to updatedIds */
  searchFilter?: string
  /** nodes with any of these labels do not go to updatedIds */
  preventSearch?: string[]
  /** {name} or $name in statements */
  parameterSyntax?: 'braces' | 'dollar'
  /** fail on what cannot be published, or skip and count it */
  onUnpublishable?: 'fail' | 'skip'
  /** grn of a manager version, or name of a manager, whose latest version counts: it supplies mappedIndices and checks nodes */
  model?: string
  /** fail on what breaks the model, publish and report it, or leave it out; with model only */
  onModelViolation?: 'fail' | 'report' | 'omit'
  /** https:// address that is told when the job has ended; not with returnOnly */
  callbackUrl?: string
  /** remove the packet so many days after it was stored; not with returnOnly */
  expiresAfterDays?: number
  /** gzip: store the parts compressed, with the header Content-Encoding for downloads; not with returnOnly */
  compression?: 'none' | 'gzip'
  /** strict wraps numbers for replay clients that do not tell 1 from 1.0 */
  numbers?: 'plain' | 'strict'
}

export interface DryRun {
  complete: boolean
  limit: 'time' | 'pairs' | null
  subRequests: number
  subRequestsRead: number
  pairs: number
  parts: number
  bytes: number
  projected: { pairs: number; parts: number; bytes: number; by: 'sub-requests' } | null
  statements: StatementCounts
  nodes: { origin: number; targeted: number; farEnds: number }
  relationships: Record<string, number>
  otherRelationships?: number
  largestPair: { bytes: number; about: string } | null
  unpublishable: {
    count: number
    first: {
      what: 'node' | 'relationship'
      label: string | null
      type: string | null
      id: string | null
      element: string | null
      reason: string
    }[]
  }
  missing: { originIds: { count: number; first: string[] }; relationshipIds: { count: number; first: string[] } }
  skipped: { nodes: number; relationships: number; properties: number; cleanups: number }
  collapsed: number
  model?: ModelReport
  requires: Requires
  originIndexes: { origin: string; label: string; property: string; kind: 'UNIQUE' | 'INDEX' | 'NONE' | 'UNKNOWN' }[]
  warnings: string[]
  wouldConflict: boolean | null
  sample: Statement[]
}

export interface FileList {
  transactionRequest: Packet | null
  transactionRequests: Packet[] | null
  fileLocation: string | null
  fileLocations: string[] | null
  fileNames: string[] | null
  error: string | null
  usePrefixes: boolean | null
  /** when each of `fileNames` expires, in their order; null: never */
  expiresAt: (string | null)[]
  /** the `after` of the next page; null on the last one */
  next: string | null
}

export interface PacketManifest {
  packet: string
  generation: number
  jobId: string
  createdAt: string
  /** When the packet expires; null: never */
  expiresAt: string | null
  parameterSyntax: 'braces' | 'dollar' | 'mixed'
  numbers: 'plain' | 'strict' | 'mixed'
  pairs: number
  bytes: number
  sha256: string
  parts: {
    fileName: string
    pairs: number
    bytes: number
    sha256: string
    compression?: 'gzip'
    storedBytes?: number
    url?: string
  }[]
  statements: StatementCounts
  requires: Requires
  report: JobReport
  base: null
}

export interface NodeDeleteRequest {
  dbUrl?: string
  credentials?: string
  database?: string
  bookmarks?: string[]
  mappedIndices: Record<string, string>
  index: string
  originIds: string[]
  relationshipIds?: string[]
  hardFilterRelationships?: boolean
  toLayer?: string[]
  relationships?: string[]
  preventCleanup?: boolean
  relationshipIdField?: string
  metadata?: boolean
  deleteProperties?: string[]
  timestampRelationships?: boolean
  timestampProperty?: string
  relationshipDeleteOnly?: boolean
  deleteRelationshipById?: boolean
  targetFilter?: string
  protectedNodeProperties?: string[]
  protectedRelationshipProperties?: string[]
  dynamicLabels?: Record<string, string[]>
  postbackTimestamp?: boolean
  returnOnly?: boolean
  orgName?: string
  fileName?: string
  searchIdField?: string
  searchFilter?: string
  preventSearch?: string[]
  parameterSyntax?: 'braces' | 'dollar'
  onUnpublishable?: 'fail' | 'skip'
  expiresAfterDays?: number
  compression?: 'none' | 'gzip'
  numbers?: 'plain' | 'strict'
  idType?: 'string' | 'integer'
}

export interface Problem {
  type: string
  title: string
  status: number
  detail: string
  errors?: { path: string; message: string }[]
}

export interface Job {
  id: string
  kind: 'publish' | 'multi'
  state: 'queued' | 'running' | 'committing' | 'succeeded' | 'failed' | 'cancelled'
  orgName: string
  fileName: string
  createdAt: string
  startedAt: string | null
  finishedAt: string | null
  attempt: number
  progress: {
    phase: 'queued' | 'reading' | 'committing' | 'done'
    subRequests: number
    subRequestsDone: number
    pairs: number
    parts: number
    bytes: number
  }
  report: JobReport | null
  error: { status: number; code: string; message: string } | null
  /** When the packet expires; null until the job has succeeded, and if it never does */
  expiresAt: string | null
  callback: { state: 'due' | 'delivered' | 'failed'; attempts: number; lastStatus: number | null } | null
}

export interface Packet {
  statements: Statement[]
}

export interface StatementCounts {
  nodeUpsert: number
  relationshipUpsert: number
  relationshipCreate: number
  cleanup: number
  deleteProperties: number
  nodeDelete: number
  postback: number
}

export interface ModelReport {
  version: string
  violations: {
    count: number
    first: {
      label: string
      id: string
      property: string | null
      rule: 'nodeType' | 'property' | 'required' | 'dataType'
      problem: string
    }[]
  }
  omitted: { labels: number; properties: number; nodes: number }
  indexed: { label: string; property: string }[]
  required: { label: string; property: string }[]
  /** At least so many more properties, not listed */
  moreProperties?: number
}

export interface Requires {
  server: string
  constraints: { label: string; property: string; cypher: { '5': string; '3.5': string } }[]
  /** At least how many more are not listed */
  moreConstraints?: number
  /** What the model declares in addition to constraints; replay does not rely on it */
  model?: {
    indexes: { label: string; property: string; cypher: { '5': string; '3.5': string } }[]
    existence: { label: string; property: string; cypher: { '5': string; '3.5': string }; edition: 'enterprise' }[]
    more?: number
  }
}

export interface Statement {
  statement: string
  parameters: Record<string, unknown>
  metadata: Record<string, unknown> | null
}

export interface JobReport {
  identities: { label: string; property: string }[]
  /** At least so many more kinds of identities, not listed */
  moreIdentities?: number
  missing: { originIds: { count: number; first: string[] }; relationshipIds: { count: number; first: string[] } }
  skipped: { nodes: number; relationships: number; properties: number; cleanups: number }
  collapsed: number
  /** Relationship types without an index on the relationshipIdField, the first 20 */
  missingIndexes?: { type: string; property: string }[]
  model?: ModelReport
}
