#!/usr/bin/env bash
# Guess: a client of ioredis with `failoverDetector` finds the new primary at least as surely as one without it: the
#   option only makes it listen to the Sentinels.
# What happens: if a Sentinel announces the failover while the client, whose connection was lost, asks another Sentinel
#   for the primary, the client ends: its state is `end`, every command fails with "Connection is closed.", and it never
#   connects again, although the primary is there. The client without the option connects. The moment is as long as the
#   asked Sentinel takes to answer, so it is met when machines are busy or a Sentinel does not answer.
# Version: ioredis 6.0.0 and 5.11.1, Redis 6.2.6 (from Maven: com.github.codemonstur:embedded-redis 1.4.4), Node.js 20 or
#   later.
# Output seen: the lines between EXPECTED below.
# Hurts: services behind Sentinels that run on, answer errors or take no more jobs until somebody restarts them.
set -euo pipefail
folder=$(mktemp -d)
trap 'for pid in "$folder"/*/redis.pid; do kill -9 "$(cat "$pid")" 2>/dev/null || true; done; rm -rf "$folder"' EXIT
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
for version in 6.0.0 5.11.1; do
  npm install --silent --no-fund --no-audit --prefix "$folder/$version" "ioredis@$version"
done
cat >"$folder/finding.cjs" <<'JS'
const { spawn } = require('node:child_process')
const { mkdirSync, writeFileSync } = require('node:fs')
const { createServer } = require('node:net')
const [folder, program, version] = process.argv.slice(2)
const Redis = require(`${folder}/${version}/node_modules/ioredis`)
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
async function start(name, settings, ...options) {
  const directory = `${folder}/${version}-${name}`
  const port = await freePort()
  mkdirSync(directory)
  writeFileSync(`${directory}/redis.conf`, [`port ${port}`, 'bind 127.0.0.1', `dir ${directory}`, ...settings].join('\n'))
  const server = spawn(program, [`${directory}/redis.conf`, ...options], { stdio: 'ignore' })
  writeFileSync(`${directory}/redis.pid`, String(server.pid))
  return { port, kill: (signal) => server.kill(signal) }
}
async function main() {
  const primary = await start('primary', ['save ""'])
  const replica = await start('replica', ['save ""', `replicaof 127.0.0.1 ${primary.port}`])
  await pause(3_000)
  const sentinels = []
  for (const name of ['first', 'second', 'third']) {
    const settings = [`sentinel monitor group 127.0.0.1 ${primary.port} 2`, 'sentinel down-after-milliseconds group 1000']
    sentinels.push(await start(name, settings, '--sentinel'))
  }
  // The Sentinels find each other and the replica.
  await pause(13_000)
  const options = {
    sentinels: sentinels.map(({ port }) => ({ host: '127.0.0.1', port })),
    name: 'group',
    maxRetriesPerRequest: 1,
    commandTimeout: 1_000,
  }
  const clients = { 'without failoverDetector': new Redis(options) }
  clients['with failoverDetector'] = new Redis({ ...options, failoverDetector: true })
  for (const client of Object.values(clients)) {
    client.on('error', () => {})
    await client.ping()
  }
  await pause(1_000)
  // The Sentinel that both clients ask first does not answer while the other two replace the primary.
  sentinels[0].kill('SIGSTOP')
  primary.kill('SIGKILL')
  const other = new Redis(sentinels[1].port, '127.0.0.1')
  for (let times = 0; times < 300; times++) {
    const [, port] = await other.call('SENTINEL', 'get-master-addr-by-name', 'group')
    if (Number(port) === replica.port) break
    await pause(100)
  }
  await pause(2_000)
  sentinels[0].kill('SIGCONT')
  await pause(10_000)
  for (const [name, client] of Object.entries(clients)) {
    const answer = await client.ping().catch((error) => error.message)
    console.log(`${version} ${name}: state ${client.status}, PING: ${answer}`)
  }
  process.exit()
}
main()
JS
expected=$(cat <<'EXPECTED'
6.0.0 without failoverDetector: state ready, PING: PONG
6.0.0 with failoverDetector: state end, PING: Connection is closed.
5.11.1 without failoverDetector: state ready, PING: PONG
5.11.1 with failoverDetector: state end, PING: Connection is closed.
EXPECTED
)
seen=
for version in 6.0.0 5.11.1; do
  seen+=$(timeout 120 node "$folder/finding.cjs" "$folder" "$redis" "$version")$'\n'
done
printf '%s' "$seen"
[ "$seen" = "$expected"$'\n' ] || { echo 'the behaviour has changed' >&2; exit 1; }
