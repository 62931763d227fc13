# One image: the API by default, the worker with its command in docker-compose.yml, the doctor by `node dist/doctor.mjs`,
# the client by `packets`. docs/deployment.md has the arguments, and how to pin the base.
ARG NODE_IMAGE=node:24-slim

FROM $NODE_IMAGE AS dependencies
WORKDIR /graph-packets
COPY package.json package-lock.json ./
# The bill of materials is made without devDependencies, because `npm sbom --omit=dev` also leaves out what development
# and production have in common.
RUN --mount=type=cache,target=/root/.npm npm ci --omit=dev --ignore-scripts --no-audit --no-fund && \
    npm pkg delete devDependencies && npm sbom --sbom-format=cyclonedx --sbom-type=application > sbom.cdx.json

# Builds the programs and the console. The image takes only the result, and none of the packages.
FROM $NODE_IMAGE AS build
WORKDIR /graph-packets
COPY package.json package-lock.json ./
RUN --mount=type=cache,target=/root/.npm npm ci --ignore-scripts --no-audit --no-fund
COPY packet packet
COPY wire wire
COPY shared shared
COPY api api
COPY worker worker
COPY doctor doctor
COPY client client
COPY console console
COPY dev/tools dev/tools
COPY docs/contract.md docs/operations.md docs/
RUN node dev/tools/build-programs.ts

FROM $NODE_IMAGE

# MALLOC_ARENA_MAX as set by `npm run api` and `npm run worker`.
ENV NODE_ENV=production MALLOC_ARENA_MAX=2
WORKDIR /app

COPY --from=dependencies /graph-packets/sbom.cdx.json ./
COPY --from=build /graph-packets/dist dist
RUN ln -s /app/dist/packets.mjs /usr/local/bin/packets

# The user `node`, by number, so that Kubernetes can verify that it is not root. The programs write only to stdout.
RUN mkdir .compile-cache && chown 1000:1000 .compile-cache
USER 1000:1000
ENV NODE_COMPILE_CACHE=/app/.compile-cache
# Keeps the compile cache of the programs in the image, one directory per set of flags: an idle worker needs some 20 MB
# less. Started without settings, the programs report what is missing and exit with an error.
RUN ! node --max-semi-space-size=8 --heap-growing-percent=80 dist/api.mjs && \
    ! node --max-semi-space-size=16 --max-old-space-size=512 --no-allocation-site-pretenuring dist/worker.mjs && \
    test "$(ls .compile-cache | wc -l)" = 2
ARG REVISION=unknown
LABEL org.opencontainers.image.title="graph-packets" \
      org.opencontainers.image.description="Turns a subset of a graph database into packets that reproduce it exactly when replayed" \
      org.opencontainers.image.version="1.0.0" \
      org.opencontainers.image.revision="$REVISION" \
      org.opencontainers.image.licenses="Apache-2.0"
EXPOSE 8080 8081
STOPSIGNAL SIGTERM
CMD ["node", "--max-semi-space-size=8", "--heap-growing-percent=80", "dist/api.mjs"]
