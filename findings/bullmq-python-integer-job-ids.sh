#!/usr/bin/env bash
# Guess: a job whose id the producer chose is kept until a worker takes it, whichever of BullMQ's libraries adds jobs; the
#   one for Python refuses what the one for Node.js refuses.
# What happens: BullMQ counts the ids of other jobs. The library for Node.js refuses whole numbers as ids for that reason;
#   the one for Python takes them. When the count reaches such an id, the next job replaces the one that waits: its name and
#   data are gone, the new job runs twice, and both calls have answered the same id without an error.
# Version: bullmq 3.4.4 (from PyPI), bullmq 6.7.0 (from npm), Redis 6.2.6 (from Maven: com.github.codemonstur:embedded-redis
#   1.4.4), Node.js 20 or later, Python 3.11 to 3.13.
# Output seen: the lines between EXPECTED below.
# Hurts: producers in Python that use the number of an order or a row as the id of its job: it is never done, and another
#   one is done twice.
set -euo pipefail
folder=$(mktemp -d)
server=
trap 'if [ -n "$server" ]; then kill -9 "$server" 2>/dev/null; wait "$server" 2>/dev/null || true; fi; rm -rf "$folder"' EXIT
cat >"$folder/pom.xml" <<'POM'
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion><groupId>x</groupId><artifactId>x</artifactId><version>1</version>
  <dependencies><dependency>
    <groupId>com.github.codemonstur</groupId><artifactId>embedded-redis</artifactId><version>1.4.4</version>
  </dependency></dependencies>
</project>
POM
mvn -q -B -f "$folder/pom.xml" dependency:unpack-dependencies -DincludeArtifactIds=embedded-redis \
  '-Dmdep.unpack.includes=redis-server-*' "-DoutputDirectory=$folder"
redis="$folder/redis-server-6.2.6-v5-linux-amd64"
chmod +x "$redis"
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check bullmq==3.4.4
npm install --silent --no-fund --no-audit --prefix "$folder" bullmq@6.7.0 ioredis@6.0.0 >/dev/null
port=$(node -e "const s = require('net').createServer().listen(0, '127.0.0.1', () => { console.log(s.address().port); s.close() })")
"$redis" --port "$port" --bind 127.0.0.1 --save '' --maxmemory-policy noeviction >"$folder/redis.log" 2>&1 &
server=$!
sleep 2
cat >"$folder/add.py" <<'PY'
import asyncio
import sys
import bullmq


async def main():
    queue = bullmq.Queue("orders", {"connection": f"redis://127.0.0.1:{sys.argv[1]}"})
    chosen = await queue.add("chosen", {"order": 3}, {"jobId": "3"})
    print("Python: chosen has the id", chosen.id)
    for name in ["first", "second", "third"]:
        print(f"Python: {name} has the id", (await queue.add(name, {}, {})).id)
    await queue.close()


asyncio.run(main())
PY
cat >"$folder/work.cjs" <<'JS'
const { Queue, Worker } = require('bullmq')
const connection = { host: '127.0.0.1', port: Number(process.argv[2]), maxRetriesPerRequest: null }
async function main() {
  const queue = new Queue('orders', { connection })
  const refused = await queue.add('chosen', {}, { jobId: '3' }).catch((error) => error.message)
  console.log(`Node.js: ${refused}`)
  const done = []
  const worker = new Worker('orders', async ({ id, name }) => void done.push(`${name} (${id})`), { connection })
  await new Promise((resolve) => setTimeout(resolve, 3_000))
  console.log(`done: ${done.join(', ')}`)
  await worker.close()
  await queue.close()
}
main()
JS
expected=$(cat <<'EXPECTED'
Python: chosen has the id 3
Python: first has the id 2
Python: second has the id 3
Python: third has the id 4
Node.js: Custom Id cannot be integers
done: second (3), first (2), second (3), third (4)
EXPECTED
)
seen=$(timeout 60 "$folder/venv/bin/python" "$folder/add.py" "$port")
seen+=$'\n'$(timeout 60 node "$folder/work.cjs" "$port")
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || { echo 'the behaviour has changed' >&2; exit 1; }
