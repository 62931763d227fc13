#!/usr/bin/env bash
# Guess: `apoc.import.json` reads what `apoc.export.json` wrote. Dates become strings unless a mapping of keys names
#   their type; the names are those of Cypher, and a wrong name is an error.
# What happens: the names are those of Java: `LocalDate`, `OffsetTime`, `ZonedDateTime`. Others, also Cypher's `Date`,
#   `Time` and `DateTime`, are ignored without an error, and the values become strings. A float that is NaN or infinite
#   becomes a string with any mapping. A file in which a string has U+2028 is refused as if it ended too early, because
#   the importer takes that character for the end of a line.
# Version: APOC core 5.26.19, Neo4j 5.26.30 (Maven Central), JDK 17, neo4j-driver 6.3.0 (npm), Node.js 20 or later.
# Output seen: the lines between EXPECTED below.
# Hurts: whoever moves a graph by APOC's JSON: a query for dates after a day finds none of the imported nodes.
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
const cases = [
  [`date('2020-02-29')`, 'Date'],
  [`date('2020-02-29')`, 'LocalDate'],
  [`time('12:00+02:30')`, 'Time'],
  [`time('12:00+02:30')`, 'OffsetTime'],
  [`datetime('2020-01-01T00:00+05:45')`, 'DateTime'],
  [`datetime('2020-01-01T00:00+05:45')`, 'ZonedDateTime'],
  [`duration('P1D')`, 'Duration'],
  [`0.0 / 0.0`, 'Double'],
  [`1.0 / 0.0`, 'Float'],
  [`'one\\u2028two'`, 'String'],
]
async function main() {
  const driver = neo4j.driver(process.argv[2])
  async function ask(query, parameters) {
    const { records } = await driver.executeQuery(query, parameters)
    return records.map((row) => row.toObject())
  }
  await ask('CREATE CONSTRAINT FOR (n:Item) REQUIRE n.neo4jImportId IS UNIQUE')
  for (const [value, type] of cases) {
    await ask('MATCH (n) DETACH DELETE n')
    const [{ before }] = await ask(`CREATE (n:Item {value: ${value}}) RETURN valueType(n.value) AS before`)
    const rows = await ask('CALL apoc.export.json.all(null, {stream: true}) YIELD data RETURN data')
    await ask('MATCH (n) DETACH DELETE n')
    const file = new Int8Array(Buffer.from(rows.map(({ data }) => data).join('\n')))
    const config = { compression: 'NONE', nodePropertyMappings: { Item: { value: type } } }
    const after = await ask('CALL apoc.import.json($file, $config)', { file, config }).then(
      async () => (await ask('MATCH (n) RETURN valueType(n.value) AS after'))[0].after,
      (error) => /Unexpected end-of-input/.exec(error.message)?.[0] ?? error.message,
    )
    console.log(`${value} as ${type}: ${[before, after].map((text) => text.replace(' NOT NULL', '')).join(' -> ')}`)
  }
  await driver.close()
}
main()
JS
expected=$(cat <<'EXPECTED'
date('2020-02-29') as Date: DATE -> STRING
date('2020-02-29') as LocalDate: DATE -> DATE
time('12:00+02:30') as Time: ZONED TIME -> STRING
time('12:00+02:30') as OffsetTime: ZONED TIME -> ZONED TIME
datetime('2020-01-01T00:00+05:45') as DateTime: ZONED DATETIME -> STRING
datetime('2020-01-01T00:00+05:45') as ZonedDateTime: ZONED DATETIME -> ZONED DATETIME
duration('P1D') as Duration: DURATION -> DURATION
0.0 / 0.0 as Double: FLOAT -> STRING
1.0 / 0.0 as Float: FLOAT -> STRING
'one\u2028two' as String: STRING -> Unexpected end-of-input
EXPECTED
)
seen=$(timeout 120 node "$folder/finding.cjs" "$(grep -m 1 bolt "$folder/uri")")
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || { echo 'the behaviour has changed' >&2; exit 1; }
