#!/usr/bin/env bash
# Guess: `MATCH (n)-[r:T]-(m)` returns a relationship from a node to itself once, as the Cypher manual says of undirected
#   patterns, and as every other version does.
# What happens: once if the plan expands from the node. Neo4j 4.3 can also find relationships by their type, which it
#   prefers where it has counted none of the type. Each self-loop is then returned twice, and counted twice. The plan
#   stays in the cache when relationships are created.
# Version: Neo4j 4.3.23 (org.neo4j.test:neo4j-harness), JDK 17.
# Output seen: the lines between EXPECTED below.
# Hurts: tools that read or count relationships without regard to direction, such as exports: they get one too many.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/pom.xml" <<'POM'
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion><groupId>x</groupId><artifactId>x</artifactId><version>1</version>
  <dependencies><dependency>
    <groupId>org.neo4j.test</groupId><artifactId>neo4j-harness</artifactId><version>4.3.23</version>
  </dependency></dependencies>
</project>
POM
mvn -q -B -f "$folder/pom.xml" dependency:copy-dependencies -DincludeScope=runtime "-DoutputDirectory=$folder/jars"
cat >"$folder/Finding.java" <<'JAVA'
import java.nio.file.Path;
import org.neo4j.harness.Neo4jBuilders;

public class Finding {
  public static void main(String[] arguments) {
    var neo4j = Neo4jBuilders.newInProcessBuilder(Path.of(arguments[0])).withDisabledServer().build();
    String count = "MATCH (n)-[r:T]-(m) RETURN count(r) AS count";
    String[] queries = {
      "CREATE (n:N)-[:T]->(n)",
      "MATCH ()-[r:T]->() DELETE r",
      count,
      "MATCH (n:N) CREATE (n)-[:T]->(n)",
      count,
      "MATCH (n)-[r:T]->(m) RETURN count(r) AS directed",
      "MATCH (n:N) WITH n LIMIT 1 MATCH (n)-[r]-(m) WHERE type(r) = 'T' RETURN count(r) AS expanded",
    };
    for (String query : queries) {
      try (var transaction = neo4j.defaultDatabaseService().beginTx()) {
        var result = transaction.execute(query);
        System.out.println(result.hasNext() ? result.next() : "done");
        result.close();
        transaction.commit();
      }
    }
    System.out.flush();
    neo4j.close();
    System.exit(0);
  }
}
JAVA
expected=$(cat <<'EXPECTED'
done
done
{count=0}
done
{count=2}
{directed=1}
{expanded=1}
EXPECTED
)
opens=()
for name in java.nio java.io sun.nio.ch java.lang java.util.concurrent; do
  opens+=("--add-opens=java.base/$name=ALL-UNNAMED")
done
seen=$(timeout 300 java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 "${opens[@]}" \
  -cp "$folder/jars/*" "$folder/Finding.java" "$folder" 2>"$folder/errors") ||
  { cat "$folder/errors" >&2; exit 1; }
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || { echo 'the behaviour has changed' >&2; exit 1; }
