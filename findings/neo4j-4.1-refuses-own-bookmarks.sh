#!/usr/bin/env bash
# Guess: two transactions of one session work with every server that the driver can connect to: the session passes the
#   bookmark of the first to the second.
# What happens: the current driver and Neo4j 4.1 agree on Bolt 3. Over it the server gives bookmarks of the form `FB:…`,
#   and refuses them in the next transaction: it wants `neo4j:bookmark:v1:tx…`.
# Version: Neo4j 4.1.11 (org.neo4j.test:neo4j-harness), JDK 17, neo4j-driver 6.3.0 (npm), Node.js 20 or later.
# Output seen: the lines between EXPECTED below.
# Hurts: programs with sessions of more than one transaction, or with a bookmark manager; Neo4j 4.0 takes its own.
set -euo pipefail
folder=$(mktemp -d)
server=
trap 'if [ -n "$server" ]; then kill "$server" 2>/dev/null; wait "$server" || true; fi; rm -rf "$folder"' EXIT
cat >"$folder/pom.xml" <<'POM'
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion><groupId>x</groupId><artifactId>x</artifactId><version>1</version>
  <dependencies><dependency>
    <groupId>org.neo4j.test</groupId><artifactId>neo4j-harness</artifactId><version>4.1.11</version>
  </dependency></dependencies>
</project>
POM
mvn -q -B -f "$folder/pom.xml" dependency:copy-dependencies -DincludeScope=runtime "-DoutputDirectory=$folder/jars"
npm install --silent --no-audit --no-fund --prefix "$folder" neo4j-driver@6.3.0
cat >"$folder/Server.java" <<'JAVA'
import java.io.File;
import org.neo4j.harness.Neo4jBuilders;

public class Server {
  public static void main(String[] arguments) throws Exception {
    var neo4j = Neo4jBuilders.newInProcessBuilder(new File(arguments[0])).withDisabledServer().build();
    System.out.println(neo4j.boltURI());
    Thread.sleep(120_000);
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
  const { protocolVersion } = await driver.getServerInfo()
  console.log(`Bolt ${protocolVersion.getMajor()}`)
  const session = driver.session()
  await session.run('CREATE ()')
  const [bookmark] = session.lastBookmarks()
  console.log(`given: ${bookmark.slice(0, 3)}…`)
  await session.run('CREATE ()').then(() => console.log('taken'), ({ code }) => console.log(`refused: ${code}`))
  await session.close()
  await driver.close()
}
main()
JS
expected=$(cat <<'EXPECTED'
Bolt 3
given: FB:…
refused: Neo.ClientError.Transaction.InvalidBookmark
EXPECTED
)
seen=$(timeout 60 node "$folder/finding.cjs" "$(grep -m 1 bolt "$folder/uri")")
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || { echo 'the behaviour has changed' >&2; exit 1; }
