/** Number of databases of each Redis server, so that every test file may use its own. */
export const redisDatabases = 64

export interface RedisAddress {
  url: string
  /** Pid of the server; null unless this program started it as a native process. */
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

/** A database to replay packets into, over bolt or over its transactional HTTP endpoint. */
export interface TargetAddress extends Neo4jAddress {
  httpUrl: string
}

/** A source of dependencies. Undefined: this source does not have the dependency; try the next one. */
export interface Provider {
  redis(): Promise<RedisAddress | undefined>
  s3(): Promise<S3Address | undefined>
  neo4j(): Promise<Neo4jAddress | undefined>
  target(): Promise<TargetAddress | undefined>
  legacy(): Promise<Neo4jAddress | undefined>
}
