# fanfare in an image: compiled in the first stage, production dependencies only in the second, run as a user without rights.
# The newest Node LTS; NODE_IMAGE takes another one (for example a mirror's).
ARG NODE_IMAGE=node:26-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json ./
COPY scripts/build.mjs scripts/
COPY src src
RUN npm run build && npm prune --omit=dev --ignore-scripts --no-audit --no-fund

FROM ${NODE_IMAGE}
ENV NODE_ENV=production METRICS_HOST=0.0.0.0 REPORT_DIR=/reports
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
# A volume mounted here takes over this owner, so the report can be written without root.
RUN mkdir /reports && chown node:node /reports
VOLUME /reports
USER node
EXPOSE 9464
# Healthy as long as the process answers; `docker compose ps` shows it. The port follows METRICS_PORT. Seldom and patient: each check starts
# a process beside the run that is measured.
HEALTHCHECK --interval=15s --timeout=10s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.METRICS_PORT || 9464}/healthz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# exec form: node is process 1 and receives SIGTERM itself; fanfare handles it and still writes its report.
ENTRYPOINT ["node", "dist/main.js"]
CMD ["run"]
