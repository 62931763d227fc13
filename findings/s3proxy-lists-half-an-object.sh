#!/usr/bin/env bash
# Guess: an object of an S3 server is listed when its PUT has ended, and a PUT that never ends leaves nothing.
# What happens: on a file system, S3Proxy lists each PUT that is under way, under the key with a dash and a UUID. Who
#   reads that object gets 200 and the bytes that have arrived. If the server is killed, it stays, and is listed and read
#   for good. (A client that goes away leaves nothing.)
# Version: S3Proxy 4.1.1 (org.gaul:s3proxy, provider filesystem-nio2), JDK 17, Node.js 20 or later.
# Output seen: the lines between EXPECTED below.
# Hurts: whoever lists a prefix and copies, counts, or trusts what it has, while others write: half an object looks like a
#   whole one. A backup of such a bucket has objects that nobody stored.
set -euo pipefail
folder=$(mktemp -d)
server=
trap 'if [ -n "$server" ]; then kill -9 "$server" 2>/dev/null; wait "$server" 2>/dev/null || true; fi; rm -rf "$folder"' EXIT
cat >"$folder/pom.xml" <<'POM'
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion><groupId>x</groupId><artifactId>x</artifactId><version>1</version>
  <dependencyManagement><dependencies><dependency>
    <groupId>com.fasterxml.jackson</groupId><artifactId>jackson-bom</artifactId><version>2.21.1</version>
    <type>pom</type><scope>import</scope>
  </dependency></dependencies></dependencyManagement>
  <dependencies><dependency>
    <groupId>org.gaul</groupId><artifactId>s3proxy</artifactId><version>4.1.1</version>
  </dependency></dependencies>
</project>
POM
mvn -q -B -f "$folder/pom.xml" dependency:copy-dependencies -DincludeScope=runtime "-DoutputDirectory=$folder/jars"
mkdir "$folder/objects"
port=$(node -e "const s = require('net').createServer().listen(0, '127.0.0.1', () => { console.log(s.address().port); s.close() })")
cat >"$folder/s3proxy.properties" <<PROPERTIES
s3proxy.endpoint=http://127.0.0.1:$port
s3proxy.authorization=none
jclouds.provider=filesystem-nio2
jclouds.filesystem.basedir=$folder/objects
jclouds.identity=unused
jclouds.credential=unused
PROPERTIES
cat >"$folder/logback.xml" <<'XML'
<configuration><root level="OFF"/></configuration>
XML
start() {
  java -Xmx300m "-Dlogback.configurationFile=$folder/logback.xml" -cp "$folder/jars/*" org.gaul.s3proxy.Main \
    --properties "$folder/s3proxy.properties" >"$folder/output" 2>&1 &
  server=$!
}
cat >"$folder/finding.cjs" <<'JS'
const { request } = require('node:http')
const [port, part, server] = process.argv.slice(2)
const half = Buffer.alloc(1_000_000, 'a')
const open = (method, path, headers = {}) => request({ host: '127.0.0.1', port, method, path, headers, agent: false })
const ask = (method, path) =>
  new Promise((resolve, reject) => {
    const asked = open(method, path).on('error', reject)
    asked.on('response', async (answer) => resolve([answer.statusCode, (await answer.toArray()).join('')]))
    asked.end()
  })
const list = async () => {
  const [, text] = await ask('GET', '/bucket?list-type=2')
  return [...text.matchAll(/<Key>(.*?)<\/Key>/g)].map(([, key]) => key)
}
const told = (keys) => keys.map((key) => key.replace(/-[0-9a-f-]{36}$/, '-<uuid>')).join(' ') || 'nothing'
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
/** Sends the first half of an object. */
const begin = (key) => {
  const put = open('PUT', `/bucket/${key}`, { 'Content-Length': 2 * half.length }).on('error', () => {})
  put.write(half)
  return put
}
async function main() {
  for (let tries = 0; tries < 100 && !(await list().catch(() => null)); tries++) await pause(200)
  if (part === 'after') {
    const keys = await list()
    console.log(`after a kill and a start: ${told(keys)}`)
    const [status, text] = await ask('GET', `/bucket/${keys[0]}`)
    console.log(`its read: ${status}, ${text.length} bytes`)
    return
  }
  await ask('PUT', '/bucket')
  const put = begin('first')
  await pause(2_000)
  console.log(`while half is sent: ${told(await list())}`)
  const [status, text] = await ask('GET', `/bucket/${(await list())[0]}`)
  console.log(`its read: ${status}, ${text.length} bytes`)
  const ended = new Promise((resolve) => put.on('response', (answer) => resolve(answer.resume())))
  put.end(half)
  await ended
  console.log(`when all is sent: ${told(await list())}`)
  await ask('DELETE', '/bucket/first')
  const cut = begin('cut')
  await pause(1_000)
  cut.destroy()
  await pause(2_000)
  console.log(`when a client has gone away: ${told(await list())}`)
  begin('second')
  await pause(2_000)
  process.kill(Number(server), 'SIGKILL')
}
main()
JS
expected=$(cat <<'EXPECTED'
while half is sent: first-<uuid>
its read: 200, 1000000 bytes
when all is sent: first
when a client has gone away: nothing
after a kill and a start: second-<uuid>
its read: 200, 1000000 bytes
EXPECTED
)
start
seen=$(timeout 60 node "$folder/finding.cjs" "$port" before "$server")
wait "$server" 2>/dev/null || true
start
seen+=$'\n'$(timeout 60 node "$folder/finding.cjs" "$port" after)
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || { echo 'the behaviour has changed' >&2; exit 1; }
