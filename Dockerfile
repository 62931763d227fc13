# One image: the API by default, the worker with the command that docker-compose.yml gives it, the doctor with `node doctor/main.ts`.
# The TypeScript runs unbuilt: Node 24 strips the types.
FROM node:24-slim

ENV NODE_ENV=production
WORKDIR /app

# No dependency needs its install script at run time.
COPY package.json package-lock.json ./
RUN --mount=type=cache,target=/root/.npm npm ci --omit=dev --ignore-scripts --no-audit --no-fund

COPY shared shared
COPY api api
COPY worker worker
COPY doctor doctor

# The user `node`, by number: only so can Kubernetes tell that it is not root. Nothing is written but to stdout.
USER 1000:1000
EXPOSE 8080 8081
STOPSIGNAL SIGTERM
CMD ["node", "api/main.ts"]
