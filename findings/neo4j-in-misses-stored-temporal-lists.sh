#!/usr/bin/env bash
# Guess: in Cypher, `x IN list` is true exactly if some element of the list equals x.
# What happens: a stored list of dates, times or datetimes equals an element, and `any(y IN list WHERE y = x)` is true,
#   but `x IN list` is false if the list is a parameter. A literal list finds it. Lists of texts or numbers are found.
# Version: Neo4j 5.26.30 (org.neo4j.test:neo4j-harness), JDK 17.
# Seen: see `expected` below.
# Hurts: programs that keep or delete by a list of composite values, such as "delete what is not IN $kept": they delete
#   what they were told to keep.
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
