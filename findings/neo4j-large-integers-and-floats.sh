#!/usr/bin/env bash
# Guess: Cypher compares an integer with a float exactly, and alike whether they are literals, parameters or properties.
#   So 2^53 + 1 is not the float 2^53, and 2^63 - 1 is not the float 2^63.
# What happens: of parameters and properties the first pair differs, but the second is equal. Of literals both are equal.
#   `MERGE` without a constraint finds the node with 2^63 - 1 by the float 2^63. With a uniqueness constraint it finds it
#   if the same transaction made it, and otherwise makes a second node, which the constraint allows.
# Version: Neo4j 5.26.31 (org.neo4j.test:neo4j-harness), JDK 17.
# Output seen: the lines between EXPECTED below.
# Hurts: tools that copy or compare graphs by ids of both types: two nodes of the origin are one or two at the target,
#   depending on its constraint and on the division into transactions; and whoever tries a comparison with literals in a
#   shell sees another answer than the program that sends parameters.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/pom.xml" <<'POM'
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion><groupId>x</groupId><artifactId>x</artifactId><version>1</version>
  <dependencies><dependency>
    <groupId>org.neo4j.test</groupId><artifactId>neo4j-harness</artifactId><version>5.26.31</version>
  </dependency></dependencies>
</project>
POM
mvn -q -B -f "$folder/pom.xml" dependency:copy-dependencies -DincludeScope=runtime "-DoutputDirectory=$folder/jars"
cat >"$folder/Finding.java" <<'JAVA'
import java.nio.file.Path;
import java.util.Map;
import org.neo4j.harness.Neo4jBuilders;

public class Finding {
  public static void main(String[] arguments) {
    var neo4j = Neo4jBuilders.newInProcessBuilder(Path.of(arguments[0])).withDisabledServer().build();
    Map<String, Object> parameters =
        Map.of("i53", 9007199254740993L, "f53", 9007199254740992.0, "i63", Long.MAX_VALUE, "f63", 0x1p63);
    String[] queries = {
      "RETURN $i53 = $f53 AS at53, $i63 = $f63 AS at63",
      "RETURN 9007199254740993 = 9007199254740992.0 AS at53, 9223372036854775807 = 9223372036854775808.0 AS at63",
      "CREATE (:Free {id: $i53}), (:Free {id: $i63})",
      "MERGE (n:Free {id: $f53}) RETURN n.id AS merged",
      "MERGE (n:Free {id: $f63}) RETURN n.id AS merged",
      "CREATE CONSTRAINT FOR (n:Unique) REQUIRE n.id IS UNIQUE",
      "CREATE (:Unique {id: $i63})",
      "MERGE (n:Unique {id: $f63}) RETURN n.id AS merged",
      "MATCH (n:Unique) RETURN count(n) AS nodes",
      "MATCH (n:Unique) DELETE n",
      "UNWIND [$i63, $f63] AS id MERGE (n:Unique {id: id}) RETURN count(DISTINCT n) AS nodes",
    };
    for (String query : queries) {
      try (var transaction = neo4j.defaultDatabaseService().beginTx()) {
        var result = transaction.execute(query, parameters);
        System.out.println(result.hasNext() ? result.next() : "done");
        result.close();
        transaction.commit();
      } catch (Exception error) {
        System.out.println("refused: " + error.getMessage().lines().findFirst().orElse(""));
      }
    }
    System.out.flush();
    neo4j.close();
    System.exit(0);
  }
}
JAVA
expected=$(cat <<'EXPECTED'
{at53=false, at63=true}
{at53=true, at63=true}
done
{merged=9.007199254740992E15}
{merged=9223372036854775807}
done
done
{merged=9.223372036854776E18}
{nodes=2}
done
{nodes=1}
EXPECTED
)
seen=$(timeout 300 java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp "$folder/jars/*" "$folder/Finding.java" "$folder" 2>"$folder/errors") ||
  { cat "$folder/errors" >&2; exit 1; }
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || { echo 'the behaviour has changed' >&2; exit 1; }
