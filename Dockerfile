# One image: the API by default, the worker with its command in docker-compose.yml, the doctor by `node doctor/main.ts`,
# the client by `packets`.
# The TypeScript runs unbuilt: Node 24 strips the types.
FROM node:24-slim

# MALLOC_ARENA_MAX as set by `npm run api` and `npm run worker`.
ENV NODE_ENV=production MALLOC_ARENA_MAX=2
WORKDIR /app

# No dependency needs its install script at run time. TypeScript is an optional peer of valibot, which does without.
COPY package.json package-lock.json ./
RUN --mount=type=cache,target=/root/.npm npm ci --omit=dev --ignore-scripts --no-audit --no-fund && \
    rm -rf node_modules/typescript node_modules/@typescript

COPY shared shared
COPY api api
COPY worker worker
COPY doctor doctor
COPY cli cli
RUN ln -s /app/cli/main.ts /usr/local/bin/packets

# The user `node`, by number, so that Kubernetes can verify that it is not root. The programs write only to stdout.
RUN mkdir .compile-cache && chown 1000:1000 .compile-cache
USER 1000:1000
# Set only here: npm, which runs as root, would otherwise create the directory and fill it with its own cache.
ENV NODE_COMPILE_CACHE=/app/.compile-cache
# Keeps the compile cache of the programs in the image, one directory per set of flags: an idle worker needs some 20 MB
# less. Started without settings, the programs report what is missing and exit with an error.
RUN ! node --max-semi-space-size=8 --heap-growing-percent=80 api/main.ts && \
    ! node --max-semi-space-size=16 --max-old-space-size=512 --no-allocation-site-pretenuring worker/main.ts && \
    test "$(ls .compile-cache | wc -l)" = 2
EXPOSE 8080 8081
STOPSIGNAL SIGTERM
CMD ["node", "--max-semi-space-size=8", "--heap-growing-percent=80", "api/main.ts"]
