#!/usr/bin/env bash
# Guess: a constraint on one label leaves the cached plans of queries that name other labels and properties.
# What happens: creating it, and dropping it, makes every query of the database be planned again the next time it is
#   sent. A query of six lines then takes ten times as long, once for each text of a query.
# Version: Neo4j 5.26.30 (org.neo4j.test:neo4j-harness), JDK 17, neo4j-driver 6.3.0 (npm), Node.js 20 or later.
# Output seen: the lines between EXPECTED below. Next to much other work the medians were 144 ms from the cache, 1,256 ms
#   after the constraint was created, and 1,740 ms after it was dropped.
# Hurts: whoever creates a constraint for each data set, tenant or test next to others: half of the processor time of a
#   server may be planning. Create several in one transaction.
set -euo pipefail
folder=$(mktemp -d)
server=
trap 'if [ -n "$server" ]; then kill "$server" 2>/dev/null; wait "$server" || true; fi; rm -rf "$folder"' EXIT
cat >"$folder/pom.xml" <<'POM'
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion><groupId>x</groupId><artifactId>x</artifactId><version>1</version>
  <dependencies><dependency>
    <groupId>org.neo4j.test</groupId><artifactId>neo4j-harness</artifactId><version>5.26.30</version>
  </dependency></dependencies>
</project>
POM
mvn -q -B -f "$folder/pom.xml" dependency:copy-dependencies -DincludeScope=runtime "-DoutputDirectory=$folder/jars"
npm install --silent --no-audit --no-fund --prefix "$folder" neo4j-driver@6.3.0
cat >"$folder/Server.java" <<'JAVA'
import java.nio.file.Path;
import org.neo4j.harness.Neo4jBuilders;

public class Server {
  public static void main(String[] arguments) throws Exception {
    var neo4j = Neo4jBuilders.newInProcessBuilder(Path.of(arguments[0])).withDisabledServer().build();
    System.out.println(neo4j.boltURI());
    Thread.sleep(180_000);
    System.exit(0);
  }
}
JAVA
opens=()
for name in java.nio java.io sun.nio.ch java.lang java.util.concurrent; do
  opens+=("--add-opens=java.base/$name=ALL-UNNAMED")
done
java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 "${opens[@]}" -cp "$folder/jars/*" "$folder/Server.java" "$folder" \
  >"$folder/uri" 2>"$folder/errors" &
server=$!
for _ in $(seq 100); do
  grep -q bolt "$folder/uri" && break
  kill -0 "$server" || { cat "$folder/errors" >&2; exit 1; }
  sleep 1
done
cat >"$folder/finding.cjs" <<'JS'
const neo4j = require('neo4j-driver')
const query = `UNWIND $ids AS id
MATCH (n:Airport) WHERE n.code = id
OPTIONAL MATCH (n)-[r:FLIGHT]-(m)
WITH n, r, m, labels(m) AS names
RETURN id(r), id(n), id(m), names, [m.index] + [name IN names | m[$keys[name]]]
LIMIT 3`
const median = (values) => values.sort((a, b) => a - b)[values.length >> 1]
async function main() {
  const driver = neo4j.driver(process.argv[2])
  const time = async () => {
    const started = performance.now()
    await driver.executeQuery(query, { ids: ['a'], keys: {} })
    return performance.now() - started
  }
  const taken = { cached: [], created: [], dropped: [] }
  for (let round = 0; round < 15; round++) {
    await time()
    taken.cached.push(await time())
    await driver.executeQuery('CREATE CONSTRAINT other FOR (n:Other) REQUIRE n.unrelated IS UNIQUE')
    taken.created.push(await time())
    await time()
    await driver.executeQuery('DROP CONSTRAINT other')
    taken.dropped.push(await time())
  }
  const [cached, created, dropped] = Object.values(taken).map(median)
  console.error(`medians, ms: ${[cached, created, dropped].map(Math.round).join(', ')}`)
  console.log(`after a constraint on another label: ${created > 4 * cached ? 'planned again' : 'cached'}`)
  console.log(`after it is dropped: ${dropped > 4 * cached ? 'planned again' : 'cached'}`)
  await driver.close()
}
main()
JS
expected=$(cat <<'EXPECTED'
after a constraint on another label: planned again
after it is dropped: planned again
EXPECTED
)
seen=$(timeout 120 node "$folder/finding.cjs" "$(grep -m 1 bolt "$folder/uri")")
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || { echo 'the behaviour has changed' >&2; exit 1; }
