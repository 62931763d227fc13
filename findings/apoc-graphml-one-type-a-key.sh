#!/usr/bin/env bash
# Guess: a graph that APOC exports to GraphML with `useTypes` and imports with `readLabels` has its numbers, truth
#   values and property keys again; only dates and points, for which GraphML has no type, may become strings.
# What happens: a key has one type in a file. If one node keeps a number and another a string under the same key,
#   the file calls the key a string, and the number comes back as a string: the ids 1 and '1' are then equal. A node's
#   property `labels` comes back as a label, and a relationship's property `label` does not come back. No error and no
#   warning says so.
# Version: APOC core 5.26.19, Neo4j 5.26.30 (Maven Central), JDK 17, neo4j-driver 6.3.0 (npm), Node.js 20 or later.
# Output seen: the lines between EXPECTED below.
# Hurts: whoever moves a graph by APOC's GraphML: identities may fall together, and a later MERGE joins two nodes.
set -euo pipefail
folder=$(mktemp -d)
server=
trap 'if [ -n "$server" ]; then kill "$server" 2>/dev/null; wait "$server" || true; fi; rm -rf "$folder"' EXIT
cat >"$folder/pom.xml" <<'POM'
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion><groupId>x</groupId><artifactId>x</artifactId><version>1</version>
  <dependencies>
    <dependency>
      <groupId>org.neo4j.test</groupId><artifactId>neo4j-harness</artifactId><version>5.26.30</version>
    </dependency>
    <dependency>
      <groupId>org.neo4j.procedure</groupId><artifactId>apoc-core</artifactId><version>5.26.19</version>
    </dependency>
    <dependency>
      <groupId>org.neo4j.procedure</groupId><artifactId>apoc-common</artifactId><version>5.26.19</version>
    </dependency>
  </dependencies>
</project>
POM
mvn -q -B -f "$folder/pom.xml" dependency:copy-dependencies -DincludeScope=runtime "-DoutputDirectory=$folder/jars"
npm install --silent --no-audit --no-fund --prefix "$folder" neo4j-driver@6.3.0
mkdir "$folder/plugins"
cp "$folder"/jars/apoc-*.jar "$folder/plugins"
cat >"$folder/Server.java" <<'JAVA'
import java.nio.file.Path;
import org.neo4j.configuration.GraphDatabaseSettings;
import org.neo4j.harness.Neo4jBuilders;

public class Server {
  public static void main(String[] arguments) throws Exception {
    var home = Path.of(arguments[0]);
    var neo4j = Neo4jBuilders.newInProcessBuilder(home).withDisabledServer()
        .withConfig(GraphDatabaseSettings.plugin_dir, home.resolve("plugins").toAbsolutePath()).build();
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
java -Dapoc.import.file.enabled=true -XX:+UseSerialGC -XX:TieredStopAtLevel=1 "${opens[@]}" -cp "$folder/jars/*" \
  "$folder/Server.java" "$folder" >"$folder/uri" 2>"$folder/errors" &
server=$!
for _ in $(seq 100); do
  grep -q bolt "$folder/uri" && break
  kill -0 "$server" || { cat "$folder/errors" >&2; exit 1; }
  sleep 1
done
cat >"$folder/finding.cjs" <<'JS'
const neo4j = require('neo4j-driver')
const graphs = {
  'one type a key': `CREATE (:Item {id: 1, on: true})-[:NEXT {at: 1.5}]->(:Item {id: 2, on: false})`,
  'two types of ids': `CREATE (:Item {id: 1})-[:NEXT]->(:Item {id: '1'})`,
  'keys labels and label': `CREATE (:Item {id: 1, labels: 'red'})-[:NEXT {label: 'x', at: 1}]->(:Item {id: 2})`,
}
const shown = `MATCH (n) WITH n ORDER BY elementId(n)
RETURN labels(n) AS labels, n{.*} AS properties, [(n)-[r]->() | r{.*}] AS relationships`
async function main() {
  const driver = neo4j.driver(process.argv[2], undefined, { disableLosslessIntegers: true })
  async function ask(query, parameters) {
    const { records } = await driver.executeQuery(query, parameters)
    return records.map((row) => row.toObject())
  }
  const show = async () => (await ask(shown)).map(({ labels, properties, relationships }) =>
    [labels.sort().join(':'), ...[properties, ...relationships].map(sorted)].join(' ')).join(' | ')
  const sorted = (map) => JSON.stringify(Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1))))
  for (const [name, create] of Object.entries(graphs)) {
    await ask('MATCH (n) DETACH DELETE n')
    await ask(create)
    const before = await show()
    const rows = await ask('CALL apoc.export.graphml.all(null, {stream: true, useTypes: true}) YIELD data RETURN data')
    await ask('MATCH (n) DETACH DELETE n')
    const file = new Int8Array(Buffer.from(rows.map(({ data }) => data).join('')))
    await ask(`CALL apoc.import.graphml($file, {compression: 'NONE', readLabels: true})`, { file })
    console.log(`${name}\n  before: ${before}\n  after:  ${await show()}`)
  }
  await driver.close()
}
main()
JS
expected=$(cat <<'EXPECTED'
one type a key
  before: Item {"id":1,"on":true} {"at":1.5} | Item {"id":2,"on":false}
  after:  Item {"id":1,"on":true} {"at":1.5} | Item {"id":2,"on":false}
two types of ids
  before: Item {"id":1} {} | Item {"id":"1"}
  after:  Item {"id":"1"} {} | Item {"id":"1"}
keys labels and label
  before: Item {"id":1,"labels":"red"} {"at":1,"label":"x"} | Item {"id":2}
  after:  Item:red {"id":1} {"at":1} | Item {"id":2}
EXPECTED
)
seen=$(timeout 120 node "$folder/finding.cjs" "$(grep -m 1 bolt "$folder/uri")")
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || { echo 'the behaviour has changed' >&2; exit 1; }
