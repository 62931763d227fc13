#!/bin/sh
# Tries the whole system as an operator runs it, with Docker Compose. It builds the image, starts four workers,
# publishes a graph once for each service and kills that service during the publish, and takes everything down and up
# again. The client of the image replays each packet into another database and compares the two, types included.
#
#   deploy/try.sh      on Linux, with Docker and Compose 2; the ports 7688, 8080 and 9000 of 127.0.0.1 must be free
#
# It uses its own Compose project and secrets, and removes both at the end, with the volumes.
set -eu
cd "$(dirname "$0")/.."
files=$(mktemp -d)
people=20000

export TOKENS_FILE="$files/tokens.json"
TOKEN=$(openssl rand -hex 32)
digest=$(printf %s "$TOKEN" | sha256sum | cut -d ' ' -f 1)
cat > "$files/env" <<END
SECRET_KEYS=k1:$(openssl rand -base64 32)
S3_ACCESS_KEY=$(openssl rand -hex 10)
S3_SECRET_KEY=$(openssl rand -hex 20)
REDIS_PASSWORD=$(openssl rand -hex 20)
NEO4J_PASSWORD=$(openssl rand -hex 20)
TOKEN=$TOKEN
END
echo '[{"name":"try","sha256":"'"$digest"'","orgs":["*"],"scopes":["publish:read","publish:write"]}]' > "$TOKENS_FILE"
chmod 755 "$files"
chmod 644 "$TOKENS_FILE"

compose() {
  docker compose --project-name graph-packets-try --env-file "$files/env" -f docker-compose.yml -f deploy/try.yml "$@"
}
up() { compose up --detach --wait --scale worker=4 "$@"; }
packets() { compose run --rm -T client "$@"; }
cypher() { compose exec -T "$1" sh -c 'cypher-shell -u neo4j -p "${NEO4J_AUTH#*/}"'; }
say() { printf '\n== %s\n' "$*"; }

finish() {
  code=$?
  [ "$code" = 0 ] || compose logs --tail 30 api worker || true
  compose --profile client down --volumes --remove-orphans --timeout 20 || true
  rm -rf "$files"
  exit "$code"
}
trap finish EXIT

# The ids of all people, 500 in each request.
request() {
  separator='['
  for last in $(seq 500 500 "$people"); do
    printf '%s{"mappedIndices":{"DEFAULT_INDEX":"Person","DEFAULT_ID_FIELD":"id"},"metadata":true,' "$separator"
    printf '"relationships":["KNOWS"],"orgName":"try","fileName":"people.json",'
    printf '"originIds":["p%s"]}' "$(seq -s '","p' $((last - 499)) "$last")"
    separator=,
  done
  echo ']'
}

# Replays the latest packet and compares the target with it. Fails unless they are equal.
compare() {
  packets replay try/people.json --to bolt://127.0.0.1:7688 --user neo4j --create-constraints --progress none
  packets verify try/people.json --to bolt://127.0.0.1:7688 --user neo4j --progress none
}

say 'Build and start'
compose build
up
cypher neo4j <<END
CREATE CONSTRAINT FOR (n:Person) REQUIRE n.id IS UNIQUE;
UNWIND range(1, $people) AS i
CREATE (:Person {id: 'p' + i, number: i, part: i / 7.0, born: date('1970-01-01') + duration({days: i}), names: ['é' + i]});
UNWIND range(1, $people) AS i
MATCH (a:Person {id: 'p' + i}) UNWIND [1, 7] AS step
MATCH (b:Person {id: 'p' + (1 + (i + step) % $people)}) CREATE (a)-[:KNOWS {since: i, step: step}]->(b);
END
curl -fsS -X POST -H "Authorization: Bearer $TOKEN" http://127.0.0.1:8080/1.0/publish/try > /dev/null

for service in worker api redis s3 neo4j; do
  say "Publish, and kill $service during the publish"
  echo "MATCH (n:Person) SET n.killed = '$service'; MATCH (:Person {id: 'p1'})-[r:KNOWS]->() WITH r LIMIT 1 DELETE r;" | cypher neo4j
  job=$(request | packets publish - --no-wait --force)
  compose kill --signal KILL "$service"
  up
  # A job fails if its origin is down for longer than its attempts. Nothing else may make it fail.
  packets job "$job" --follow --progress none ||
    { test "$service" = neo4j && request | packets publish - --force --progress none; }
  compare
done

say 'Down and up again'
compose down --timeout 100
up
packets ls try
# The target keeps nothing.
compare
test "$(echo 'MATCH (n:Person {killed: "neo4j"}) RETURN count(n);' | cypher target | tail -n 1)" = "$people"
say 'Every packet was whole, and every target equal to it'
