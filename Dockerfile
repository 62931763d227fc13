# One image: the API by default, the worker with the command that docker-compose.yml gives it, the doctor with `node doctor/main.ts`.
# The TypeScript runs unbuilt: Node 24 strips the types.
FROM node:24-slim

# The latter as `npm run api` and `npm run worker` set it.
ENV NODE_ENV=production MALLOC_ARENA_MAX=2
WORKDIR /app

# No dependency needs its install script at run time.
COPY package.json package-lock.json ./
RUN --mount=type=cache,target=/root/.npm npm ci --omit=dev --ignore-scripts --no-audit --no-fund

COPY shared shared
COPY api api
COPY worker worker
COPY doctor doctor

# The user `node`, by number: only so can Kubernetes tell that it is not root. Nothing is written but to stdout.
RUN mkdir .compile-cache && chown 1000:1000 .compile-cache
USER 1000:1000
# Not before: npm, which runs as root, would make the directory and keep in it what nobody needs.
ENV NODE_COMPILE_CACHE=/app/.compile-cache
# What the programs compile as they start is kept in the image, a directory for each set of flags: some 20 MB less for
# an idle worker. Without settings they tell what they miss, and end.
RUN ! node --max-semi-space-size=8 api/main.ts && \
    ! node --max-semi-space-size=16 --max-old-space-size=512 --no-allocation-site-pretenuring worker/main.ts && \
    test "$(ls .compile-cache | wc -l)" = 2
EXPOSE 8080 8081
STOPSIGNAL SIGTERM
CMD ["node", "--max-semi-space-size=8", "api/main.ts"]
