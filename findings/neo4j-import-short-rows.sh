#!/usr/bin/env bash
# Guess: neo4j-admin database import full checks each row against the header, as it does for a row with too many cells. So
#   a file that was cut off, by a full disk or an interrupted copy, does not become a database.
# What happens: a row that ends early has no value for the columns it lacks. A file that ends in the middle of a row is
#   imported: exit code 0, an empty report, and a node with the first half of its last value. With one cell too many the
#   import stops.
# Version: Neo4j 5.26.30 (org.neo4j.test:neo4j-harness, which has neo4j-import-tool), JDK 17.
# Output seen: the lines between EXPECTED below.
# Hurts: whoever makes files for the importer, or moves them: rows and bytes that get lost on the way are no error. Compare
#   sizes or digests of the files, and count nodes and relationships afterwards.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/pom.xml" <<'POM'
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion><groupId>x</groupId><artifactId>x</artifactId><version>1</version>
  <dependencies><dependency>
    <groupId>org.neo4j.test</groupId><artifactId>neo4j-harness</artifactId><version>5.26.30</version>
  </dependency></dependencies>
</project>
POM
mvn -q -B -f "$folder/pom.xml" dependency:copy-dependencies -DincludeScope=runtime "-DoutputDirectory=$folder/jars"
opens=()
for name in java.nio java.io sun.nio.ch java.lang java.util.concurrent; do
  opens+=("--add-opens=java.base/$name=ALL-UNNAMED")
done
cat >"$folder/Read.java" <<'JAVA'
import java.nio.file.Path;
import org.neo4j.dbms.api.DatabaseManagementServiceBuilder;

class Read {
  public static void main(String[] arguments) {
    var service = new DatabaseManagementServiceBuilder(Path.of(arguments[0])).build();
    try (var transaction = service.database("neo4j").beginTx()) {
      var query = "MATCH (n) RETURN n.name AS name, n.city AS city, n.age AS age ORDER BY name";
      transaction.execute(query).forEachRemaining(row ->
          System.out.println(row.get("name") + ", " + row.get("city") + ", " + row.get("age")));
    }
    service.shutdown();
  }
}
JAVA
import_and_read() {
  mkdir -p "$folder/$1/conf"
  touch "$folder/$1/conf/neo4j.conf"
  code=0
  NEO4J_HOME="$folder/$1" NEO4J_CONF="$folder/$1/conf" timeout 120 java -XX:+UseSerialGC "${opens[@]}" \
    -cp "$folder/jars/*" org.neo4j.cli.AdminTool database import full neo4j "--report-file=$folder/$1.report" \
    "--nodes=$folder/$1.csv" >"$folder/$1.log" 2>&1 || code=$?
  echo "$1: exit code $code, report of $(wc -c <"$folder/$1.report" 2>/dev/null || echo 0) bytes"
  [ "$code" = 0 ] || return 0
  timeout 120 java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 "${opens[@]}" -cp "$folder/jars/*" "$folder/Read.java" \
    "$folder/$1" 2>/dev/null
}
header=':ID,:LABEL,name,city,age:long'
printf '%s\n1,Person,Ann,Oslo,41\n2,Person,Bob\n3,Person,Eve,Copenh' "$header" >"$folder/short.csv"
printf '%s\n1,Person,Ann,Oslo,41,extra\n' "$header" >"$folder/long.csv"
expected=$(cat <<'EXPECTED'
short: exit code 0, report of 0 bytes
Ann, Oslo, 41
Bob, null, null
Eve, Copenh, null
long: exit code 70, report of 0 bytes
EXPECTED
)
seen=$(import_and_read short; import_and_read long)
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || { echo 'the behaviour has changed' >&2; exit 1; }
