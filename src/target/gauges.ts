/**
 * rango's two gauges in the Prometheus text format, and the process's own CPU and memory beside them. Computed when scraped.
 */
import { usToSeconds } from '../units.ts'
import type { Audiences } from './audience.ts'
import type { Members } from './members.ts'

export const METRICS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

export function gaugeText(members: Members, audiences: Audiences): string {
  const { user, system } = process.cpuUsage()
  const lines = [
    ...heading('rango_hub_clients_count', 'gauge', 'Number of clients currently connected'),
    `rango_hub_clients_count ${members.clients.size}`,
    ...heading('rango_hub_subscriptions_count', 'gauge', 'Number of user subscribed to a topic'),
  ]
  for (const { type, topic, count } of audiences.counts()) {
    lines.push(`rango_hub_subscriptions_count{topic="${escapeLabel(topic)}",type="${type}"} ${count}`)
  }
  lines.push(
    ...heading('process_cpu_seconds_total', 'counter', 'User and system CPU time spent in seconds'),
    `process_cpu_seconds_total ${usToSeconds(user + system)}`,
    ...heading('process_resident_memory_bytes', 'gauge', 'Resident memory size in bytes'),
    `process_resident_memory_bytes ${process.memoryUsage.rss()}`,
  )
  return `${lines.join('\n')}\n`
}

const heading = (name: string, type: string, help: string) => [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`]

const escapeLabel = (value: string): string => value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
