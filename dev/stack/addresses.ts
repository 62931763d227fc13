export interface RedisAddress {
  url: string
  /** The server's own process; null when it is not one of ours. */
  pid: number | null
}

export interface S3Address {
  endpoint: string
  region: string
  accessKey: string
  secretKey: string
  pid: number | null
}

export interface Neo4jAddress {
  boltUrl: string
  username: string
  password: string
  pid: number | null
}

/** A database that packets are replayed into, over bolt or over its transactional HTTP endpoint. */
export interface TargetAddress extends Neo4jAddress {
  httpUrl: string
}

/** One way of coming by the dependencies. Undefined: not this way, ask the next. */
export interface Provider {
  redis(): Promise<RedisAddress | undefined>
  s3(): Promise<S3Address | undefined>
  neo4j(): Promise<Neo4jAddress | undefined>
  target(): Promise<TargetAddress | undefined>
  legacy(): Promise<Neo4jAddress | undefined>
}
