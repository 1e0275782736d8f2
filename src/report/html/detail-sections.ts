/** The rest of the page: publishing, tester, targets, replicas, the worst, settings and environment. Sections without content are absent. */
import { formatBytes, formatCount, formatDuration, formatDurationMs, formatNumber, formatShare } from '../format.ts'
import { glossary } from '../glossary.ts'
import type { Report } from '../schema.ts'
import { html, type Markup } from './markup.ts'
import { bar, table } from './tables.ts'

export function publishSection({ publish }: Report): Markup | undefined {
  if (publish === undefined) return undefined
  const fates = (['scheduled', 'published', 'skipped', 'confirmed', 'returned', 'nacked', 'unknown', 'resent'] as const).map((name) => ({
    name,
    count: publish[name],
  }))
  const causes = Object.entries(publish.latenessByCause).map(([cause, figures]) => ({ cause, ...figures }))
  const longestUs = Math.max(1, ...causes.map(({ totalUs }) => totalUs))
  return html`<h2 id="publishing">Publishing</h2>
${table(
  'What became of the probes',
  [
    { title: '', cell: ({ name }) => name },
    { title: 'probes', isNumber: true, cell: ({ count }) => formatCount(count) },
  ],
  fates,
)}
<h3>Late slots, by cause</h3>
${table(
  'Lateness by cause',
  [
    { title: 'cause', cell: ({ cause }) => cause },
    { title: 'late probes', isNumber: true, cell: ({ count }) => formatCount(count) },
    { title: 'largest', isNumber: true, cell: ({ maxUs }) => formatDuration(maxUs) },
    { title: 'together', isNumber: true, cell: ({ totalUs }) => formatDuration(totalUs) },
    { title: '', cell: ({ cause, totalUs }) => bar(totalUs / longestUs, cause) },
  ],
  causes,
)}
<p class="soft"><b>loop</b> is this tester; <b>window</b>, <b>drain</b>, <b>blocked</b> and <b>disconnected</b> are the broker.</p>
${publish.blocked.length === 0 ? '' : blockedTable(publish.blocked)}`
}

const blockedTable = (blocked: NonNullable<Report['publish']>['blocked']): Markup => html`<h3>The broker blocked publishing</h3>
${table(
  'Blocked intervals',
  [
    { title: 'from', isNumber: true, cell: ({ startMs }) => formatDurationMs(startMs) },
    { title: 'to', isNumber: true, cell: ({ endMs }) => (endMs === undefined ? 'the end' : formatDurationMs(endMs)) },
    { title: 'for', isNumber: true, cell: ({ startMs, endMs }) => (endMs === undefined ? '' : formatDurationMs(endMs - startMs)) },
    { title: 'reason', cell: ({ reason }) => reason ?? '' },
  ],
  blocked,
)}`

export function testerSection({ tester, clock }: Report): Markup {
  const facts: [name: string, value: string | undefined][] = [
    [
      'CPU, user + system, all threads, ready to end of drain',
      tester.cpuSeconds === undefined ? undefined : `${formatNumber(tester.cpuSeconds)} s`,
    ],
    ['frames per read', tester.framesPerRead === undefined ? undefined : formatNumber(tester.framesPerRead)],
    ['memory', tester.rssBytes === undefined ? undefined : formatBytes(tester.rssBytes)],
    ['memory per ready client', tester.bytesPerClient === undefined ? undefined : formatBytes(tester.bytesPerClient)],
    ['books', tester.ledgerBytes === undefined ? undefined : formatBytes(tester.ledgerBytes)],
    ['event loops held up at most', tester.loopDelayUs.max === undefined ? undefined : formatDuration(tester.loopDelayUs.max)],
    ['clock', `± ${formatDuration(clock.boundUs)}${clock.shared ? ', one clock for all processes' : ''}`],
  ]
  return html`<h2 id="tester">Tester: ${tester.health}</h2>
${tester.reasons.length > 0 ? html`<ul class="plain">${tester.reasons.map((text) => html`<li>${text}</li>`)}</ul>` : ''}
${table(
  'Event loops',
  [
    { title: 'thread', cell: ({ replica, thread, role }) => `${role} ${replica}.${thread}` },
    { title: 'event loop busy', isNumber: true, cell: ({ ratio }) => formatShare(ratio) },
    { title: '', cell: ({ ratio }) => bar(ratio) },
  ],
  tester.loopUtilisation,
)}
${table(
  'Tester figures',
  [
    { title: '', cell: ([name]) => name },
    { title: '', isNumber: true, cell: ([, value]) => value! },
  ],
  facts.filter(([, value]) => value !== undefined),
)}`
}

export function targetSection({ targets = [] }: Report): Markup | undefined {
  if (targets.length === 0) return undefined
  return html`<h2 id="targets">Targets</h2>
${table(
  'Targets',
  [
    { title: 'url', cell: ({ url }) => url },
    { title: 'ready', isNumber: true, cell: ({ ready }) => formatCount(ready) },
    { title: 'failed', isNumber: true, cell: ({ failed }) => formatCount(failed) },
    { title: 'disconnected', isNumber: true, cell: ({ disconnected }) => formatCount(disconnected) },
    { title: 'delivered', isNumber: true, cell: ({ delivered }) => formatCount(delivered) },
    { title: 'p50', isNumber: true, cell: ({ latencyUs }) => duration(latencyUs.p50) },
    { title: 'p99', isNumber: true, cell: ({ latencyUs }) => duration(latencyUs.p99) },
    { title: 'max', isNumber: true, cell: ({ latencyUs }) => duration(latencyUs.max) },
  ],
  targets,
)}`
}

/** Only when there are several: the books of a single stream are the run's. */
export function streamSection({ streams = [] }: Report): Markup | undefined {
  if (streams.length < 2) return undefined
  return html`<h2 id="streams">Streams</h2>
${table(
  'Streams',
  [
    { title: 'stream', cell: ({ index, name }) => `${index} ${name}` },
    { title: 'clients', isNumber: true, cell: ({ clients }) => formatCount(clients) },
    { title: 'owed', isNumber: true, cell: ({ expected }) => formatCount(expected) },
    { title: 'delivered', isNumber: true, cell: ({ delivered }) => formatCount(delivered) },
    { title: 'missing', isNumber: true, cell: ({ missed, lost }) => formatCount(missed + lost) },
  ],
  streams,
)}`
}

export function replicaSection({ replicas }: Report): Markup | undefined {
  if (replicas.length === 0) return undefined
  return html`<h2 id="replicas">Replicas</h2>
${table(
  'Replicas',
  [
    { title: 'replica', cell: ({ replica, name }) => `${replica} ${name}` },
    { title: 'ready', isNumber: true, cell: ({ clients }) => `${formatCount(clients.ready)} of ${formatCount(clients.wanted)}` },
    { title: 'owed', isNumber: true, cell: ({ deliveries }) => formatCount(deliveries.expected) },
    { title: 'delivered', isNumber: true, cell: ({ deliveries }) => formatCount(deliveries.delivered) },
    {
      title: 'missing',
      isNumber: true,
      cell: ({ deliveries }) => formatCount(deliveries.missed + deliveries.lost + deliveries.unaccounted),
    },
    { title: 'p50', isNumber: true, cell: ({ latencyUs }) => duration(latencyUs.p50) },
    { title: 'p99', isNumber: true, cell: ({ latencyUs }) => duration(latencyUs.p99) },
    { title: 'max', isNumber: true, cell: ({ latencyUs }) => duration(latencyUs.max) },
    { title: 'mean, service', isNumber: true, cell: ({ serviceLatencyUs }) => duration(serviceLatencyUs.mean) },
    { title: 'clock ±', isNumber: true, cell: ({ clockBoundUs }) => formatDuration(clockBoundUs) },
  ],
  replicas,
)}`
}

export function worstSection({ worst }: Report): Markup | undefined {
  if (worst.probes.length === 0 && worst.clients.length === 0) return undefined
  return html`<h2 id="worst">The worst</h2>
${worst.probes.length === 0 ? '' : html`<h3>Probes</h3>${worstProbes(worst.probes)}`}
${worst.clients.length === 0 ? '' : html`<h3>Clients</h3>${worstClients(worst.clients)}`}`
}

const worstProbes = (probes: Report['worst']['probes']): Markup =>
  table(
    'Worst probes',
    [
      { title: 'sequence', cell: ({ sequence }) => formatCount(sequence) },
      { title: 'stream', isNumber: true, cell: ({ stream }) => String(stream) },
      { title: 'clients that never heard it', isNumber: true, cell: ({ missing }) => formatCount(missing) },
      { title: 'first', isNumber: true, cell: ({ firstUs }) => duration(firstUs) },
      { title: 'last', isNumber: true, cell: ({ completionUs }) => duration(completionUs) },
    ],
    probes,
  )

const worstClients = (clients: Report['worst']['clients']): Markup =>
  table(
    'Worst clients',
    [
      { title: 'client', cell: ({ index, replica }) => (replica === 0 ? String(index) : `${index} (replica ${replica})`) },
      { title: 'local address', cell: ({ localAddress, localPort }) => `${localAddress}:${localPort}` },
      { title: 'owed', isNumber: true, cell: ({ expected }) => formatCount(expected) },
      { title: 'lost', isNumber: true, cell: ({ lost }) => formatCount(lost) },
      { title: 'missed', isNumber: true, cell: ({ missed }) => formatCount(missed) },
      { title: 'duplicated', isNumber: true, cell: ({ duplicated }) => formatCount(duplicated) },
      { title: 'last heard', isNumber: true, cell: ({ lastSequence }) => (lastSequence < 0 ? 'nothing' : formatCount(lastSequence)) },
      { title: 'ended', cell: (client) => endText(client) },
    ],
    clients,
  )

function endText({ endCode, closeCode, endedAtMs, passBusyUs }: Report['worst']['clients'][number]): string {
  if (endCode === undefined) return ''
  return [
    endCode,
    closeCode === undefined ? '' : `close ${closeCode}`,
    endedAtMs === undefined ? '' : `at ${formatDurationMs(endedAtMs)}`,
    passBusyUs === undefined ? '' : `tester busy for ${formatDuration(passBusyUs)}`,
  ]
    .filter((text) => text !== '')
    .join(', ')
}

export function settingsSection({ settings, environment }: Report): Markup {
  const given = Object.entries(settings).filter(([, value]) => value !== null)
  const machine: [string, string][] = [
    ['fanfare', environment.version],
    ['node', environment.node],
    ['system', environment.os],
    ['processors', `${environment.cpus}${environment.cpuModel === undefined ? '' : ` × ${environment.cpuModel}`}`],
    ['memory', formatBytes(environment.memoryBytes)],
  ]
  return html`<h2 id="settings">Settings and environment</h2>
${table(
  'Environment',
  [
    { title: '', cell: ([name]) => name },
    { title: '', cell: ([, value]) => value },
  ],
  machine,
)}
<details open><summary>Settings, secrets hidden</summary>
${table(
  'Settings',
  [
    { title: 'variable', cell: ([name]) => name },
    { title: 'value', cell: ([, value]) => String(value) },
  ],
  given,
)}
</details>`
}

export const glossarySection = (): Markup => html`<h2 id="glossary">How to read the figures</h2>
<dl class="glossary">
${glossary.map(({ word, meaning }) => html`<div><dt>${word}</dt><dd>${meaning}</dd></div>\n`)}</dl>`

const duration = (us: number | undefined): string => (us === undefined ? '–' : formatDuration(us))
