/** The metrics port of a process that runs, or takes part in a run: /metrics, health, and the live page. */
import { Registry } from 'prom-client'
import type { Settings } from '../config/settings.ts'
import { type MetricsRole, registerMetrics } from '../metrics/registry.ts'
import { type MetricsServer, startMetricsServer } from '../metrics/server.ts'
import { LiveFeed } from '../report/live-page/live-feed.ts'
import { livePage, pageOf } from '../report/live-page/live-page.ts'
import type { Board } from './board.ts'
import type { CommandContext } from './context.ts'

/** Throws `metrics-port-taken`. */
export async function serveMetrics(
  board: Board,
  role: MetricsRole,
  { metricsHost, metricsPort }: Settings,
  { version }: CommandContext,
): Promise<Pick<MetricsServer, 'url' | 'close'>> {
  const registry = new Registry()
  registerMetrics(registry, role, { state: () => board.state(), outcome: () => board.outcome, version })
  const feed = new LiveFeed({ state: () => board.state(), nowUs: () => board.nowUs(), outcome: () => board.outcome })
  const server = await startMetricsServer({
    host: metricsHost,
    port: metricsPort,
    registry,
    isReady: () => board.isReady(),
    pages: { '/': pageOf(livePage(board.state().plan, version)), '/events': feed.page },
  })
  return {
    url: server.url,
    close: () => {
      feed.close()
      return server.close()
    },
  }
}
