#!/usr/bin/env bash
# Guess: `n.id IN $lists` is true for each node whose property is a list equal to one of `$lists`, whatever the lists hold.
# What happens: of nodes that all store ['a', 'b'], `IN` finds the first row of the query, and no other. `NOT … IN` returns
#   the others. It finds all lists of integers; `any(x IN $lists WHERE x = n.id)` finds all lists of strings.
# Version: Neo4j 3.4.18 (org.neo4j:neo4j), JDK 17. Neo4j 3.5.35 finds all of them.
# Output seen: the lines between EXPECTED below.
# Hurts: whoever deletes what is not in a list, such as a cleanup after an import: it deletes nodes that the list names.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/pom.xml" <<'POM'
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion><groupId>x</groupId><artifactId>x</artifactId><version>1</version>
  <dependencies><dependency>
    <groupId>org.neo4j</groupId><artifactId>neo4j</artifactId><version>3.4.18</version>
  </dependency></dependencies>
</project>
POM
mvn -q -B -f "$folder/pom.xml" dependency:copy-dependencies -DincludeScope=runtime "-DoutputDirectory=$folder/jars"
cat >"$folder/Finding.java" <<'JAVA'
import java.io.File;
import java.util.*;
import org.neo4j.graphdb.factory.GraphDatabaseFactory;

public class Finding {
  public static void main(String[] arguments) {
    var neo4j = new GraphDatabaseFactory().newEmbeddedDatabase(new File(arguments[0], "graph.db"));
    var list = Arrays.asList("a", "b");
    Map<String, Object> parameters = new HashMap<>();
    parameters.put("lists", Arrays.asList(list, Arrays.asList("c")));
    parameters.put("list", list);
    String[] queries = {
      "UNWIND range(1, 4) AS i CREATE (:N {i: i, id: ['a', 'b']})",
      "UNWIND range(1, 4) AS i CREATE (:M {i: i, id: [1, 2]})",
      "MATCH (n:N) WHERE n.id = $list RETURN count(n) AS equal",
      "MATCH (n:N) WHERE n.id IN $lists RETURN count(n) AS isIn",
      "MATCH (n:N) WHERE any(x IN $lists WHERE x = n.id) RETURN count(n) AS any",
      "MATCH (n:N) WHERE NOT n.id IN $lists RETURN count(n) AS notIn",
      "MATCH (n:M) WHERE n.id IN [[1, 2], [3]] RETURN count(n) AS isInIntegers",
      "MATCH (n:N) RETURN n.i AS i, n.id IN $lists AS isIn ORDER BY i",
    };
    for (String query : queries) {
      try (var transaction = neo4j.beginTx()) {
        var result = neo4j.execute(query, parameters);
        if (!result.hasNext()) System.out.println("done");
        while (result.hasNext()) System.out.println(new TreeMap<>(result.next()));
        result.close();
        transaction.success();
      }
    }
    System.out.flush();
    System.exit(0);
  }
}
JAVA
expected=$(cat <<'EXPECTED'
done
done
{equal=4}
{isIn=1}
{any=4}
{notIn=3}
{isInIntegers=4}
{i=1, isIn=true}
{i=2, isIn=false}
{i=3, isIn=false}
{i=4, isIn=false}
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
