#!/usr/bin/env bash
# Guess: the time in which the driver reads one record grows with its size, as the time of as many rows does.
# What happens: it grows faster. The driver makes one buffer of all the chunks in which a message has arrived, and looks
#   for the chunk of each value that it reads.
# Version: neo4j-driver 6.3.0 (npm), Neo4j 5.26.30 (org.neo4j.test:neo4j-harness), JDK 17, Node.js 20 or later.
# Output seen: the lines between EXPECTED below. 100,000 texts of 20 characters took 0.41 s of processor time in one record
#   and 0.45 s as rows; 1,600,000 took 16.3 s and 7.1 s.
# Hurts: whoever collects in Cypher what could be rows (`RETURN collect(n)`), or reads long lists: nothing else of the
#   process runs meanwhile. Return rows.
set -euo pipefail
folder=$(mktemp -d)
server=
trap 'if [ -n "$server" ]; then kill "$server" 2>/dev/null; wait "$server" 2>/dev/null || true; fi; rm -rf "$folder"' EXIT
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
async function main() {
  const driver = neo4j.driver(process.argv[2])
  const query = 'UNWIND range(1, $count) AS i RETURN '
  /** Seconds of processor time of this process for so many texts of 20 bytes. */
  const time = async (count, columns) => {
    const times = []
    for (let round = 0; round < 2; round++) {
      const before = process.cpuUsage()
      await driver.executeQuery(query + columns, { count: neo4j.int(count) })
      const { user, system } = process.cpuUsage(before)
      times.push((user + system) / 1e6)
    }
    return times.sort((a, b) => a - b)[0]
  }
  const text = "'12345678901234567890' AS text"
  const sizes = [100_000, 1_600_000]
  const seen = {}
  for (const [what, columns] of Object.entries({ record: `collect(${text.split(' ')[0]}) AS texts`, rows: text }))
    seen[what] = [await time(sizes[0], columns), await time(sizes[1], columns)]
  await driver.close()
  const grown = Object.entries(seen).map(([what, [small, large]]) => {
    console.error(`${what}: ${small.toFixed(2)} s, ${large.toFixed(2)} s, ${(large / small).toFixed(1)} times`)
    return large / small
  })
  console.log(`sixteen times the texts, as rows, take less than 24 times as long: ${grown[1] < 24}`)
  console.log(`in one record they take more than 28 times as long: ${grown[0] > 28}`)
}
main()
JS
expected=$(cat <<'EXPECTED'
sixteen times the texts, as rows, take less than 24 times as long: true
in one record they take more than 28 times as long: true
EXPECTED
)
seen=$(timeout 170 node "$folder/finding.cjs" "$(grep -m 1 bolt "$folder/uri")")
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || { echo 'the behaviour has changed' >&2; exit 1; }
