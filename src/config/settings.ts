/**
 * What can be asked for: one table. The parser, the flags, the help text, the README's table and the report's
 * `settings` group are all made from it; no default lives anywhere else. It knows nothing of argv or files.
 */
import { choice, count, endpointList, flag, type Kind, list, millis, number, pattern, secret, text } from './kinds.ts'

/** One row: where a setting comes from, what it may be, and what it means. `undefined` as default means "not set". */
export interface Setting<T> {
  readonly env: string
  readonly flag: string
  readonly kind: Kind<T>
  readonly default: T
  /** Shown instead of the default in help and docs, where the default is computed. */
  readonly defaultText?: string
  readonly help: string
  readonly secret?: boolean
}

const row = <T>(
  env: string,
  kind: Kind<T>,
  defaultValue: T,
  help: string,
  more: { defaultText?: string; secret?: boolean } = {},
): Setting<T> => ({
  env,
  flag: `--${env.toLowerCase().replaceAll('_', '-')}`,
  kind,
  default: defaultValue,
  help,
  ...more,
})

const optional = <T>(kind: Kind<T>): Kind<T | undefined> => kind as Kind<T | undefined>

export const settingsTable = {
  // the seed's five
  wsPoolSize: row('WS_POOL_SIZE', count(1, 10_000_000), 20_000, 'clients (per replica when there are several)'),
  msgCount: row('MSG_COUNT', optional(count(1, 2_000_000_000)), undefined, 'probes per stream', { defaultText: '1000' }),
  msgDelayMs: row(
    'MSG_DELAY',
    optional(number(0, 3_600_000, 'ms')),
    undefined,
    'between probes of a stream; 0 means as fast as confirms allow',
    { defaultText: '30' },
  ),
  wsAddr: row(
    'WS_ADDR',
    endpointList(['ws:', 'wss:']),
    ['ws://localhost:8080/'],
    'target URL, or several separated by commas (a query string is kept)',
  ),
  amqpAddr: row(
    'AMQP_ADDR',
    endpointList(['amqp:', 'amqps:'], { secret: true, single: true }),
    ['amqp://guest:guest@localhost:5672/%2f'],
    'broker URL',
    { secret: true },
  ),
  // how it is asked in other words
  rate: row('RATE', optional(number(0.001, 10_000_000, 'probes/s')), undefined, 'probes a second per stream, instead of MSG_DELAY'),
  durationS: row('DURATION', optional(number(0.001, 31_536_000, 's')), undefined, 'how long to publish, instead of MSG_COUNT'),
  // what and where
  protocol: row('PROTOCOL', choice(['rango', 'plain', 'mqtt', 'stomp']), 'rango', 'the dialect the target speaks to its clients'),
  injector: row('INJECTOR', choice(['amqp', 'none']), 'amqp', 'how probes get in; none: another program publishes'),
  runId: row('RUN_ID', optional(pattern(/^[0-9a-z]{8}$/, '8 characters of 0-9 and a-z')), undefined, 'names the run', {
    defaultText: 'drawn',
  }),
  runGroup: row(
    'RUN_GROUP',
    pattern(/^[\w.-]{1,64}$/, '1 to 64 letters, digits, dots, dashes or underscores'),
    'default',
    'coordinator and replicas that belong together',
  ),
  stream: row('STREAM', text(1, 255), 'public.{{run}}', 'what clients subscribe to ({{run}}, {{stream}}, {{replica}})'),
  amqpExchange: row('AMQP_EXCHANGE', text(0, 255), 'peatio.events.ranger', 'where probes are published'),
  amqpRoutingKey: row('AMQP_ROUTING_KEY', text(0, 255), '{{stream}}', 'routing key ({{stream}}, {{run}}, {{index}})'),
  amqpDeclare: row(
    'AMQP_DECLARE',
    choice(['passive', 'topic', 'direct', 'fanout', 'off']),
    'passive',
    'passive: check that the exchange exists; a type: declare it non-durable; off: do neither',
  ),
  amqpWaitMs: row('AMQP_WAIT_MS', millis(0, 3_600_000), 30_000, 'how long an unreachable broker or a missing exchange is waited for'),
  confirmWindow: row('CONFIRM_WINDOW', count(1, 1_000_000), 1_000, 'probes that may be unconfirmed at a time'),
  resend: row('RESEND', flag(), false, 'publish probes again whose confirm was lost with the connection'),
  catchUp: row('CATCH_UP', choice(['burst', 'skip']), 'burst', 'late slots: send them at once, or leave them out'),
  msgSizeBytes: row('MSG_SIZE', optional(count(1, 16_777_216)), undefined, 'body size in bytes (padded with {{pad}})'),
  payloadTemplate: row(
    'PAYLOAD_TEMPLATE',
    optional(text(1, 1_048_576)),
    undefined,
    'body with {{probe}}, {{sequence}}, {{sentMs}}, {{pad}}',
    {
      defaultText: '{"cmd":"Test","time":{{sentMs}},"probe":"{{probe}}"}',
    },
  ),
  // the handshake
  wsHeaders: row('WS_HEADERS', list('Name: value', ';'), [], 'handshake headers, separated by semicolons', { secret: true }),
  wsSubprotocol: row('WS_SUBPROTOCOL', optional(text(1, 255)), undefined, 'offered instead of what the dialect offers'),
  wsToken: row('WS_TOKEN', optional(secret()), undefined, 'sent as Authorization: Bearer', { secret: true }),
  rangoSubscribe: row('RANGO_SUBSCRIBE', choice(['url', 'frames']), 'url', 'rango: subscribe by the URL or by frames'),
  plainReady: row(
    'PLAIN_READY',
    optional(text(1, 1_024)),
    undefined,
    'plain: a client is ready on the first frame that matches this regular expression',
    { defaultText: 'ready on open' },
  ),
  tlsCa: row('TLS_CA', optional(text(1, 4_096)), undefined, 'file with certificate authorities'),
  tlsCert: row('TLS_CERT', optional(text(1, 4_096)), undefined, 'file with the client certificate'),
  tlsKey: row('TLS_KEY', optional(text(1, 4_096)), undefined, 'file with the client key'),
  tlsInsecure: row('TLS_INSECURE', flag(), false, 'accept any certificate'),
  compression: row('COMPRESSION', flag(), false, 'offer permessage-deflate'),
  maxFrameBytes: row('MAX_FRAME_BYTES', count(125, 1_073_741_824), 16_777_216, 'a longer message closes the client'),
  // the ramp
  connectRate: row('CONNECT_RATE', number(0.001, 1_000_000, 'clients/s'), 2_000, 'dials a second'),
  connectConcurrency: row('CONNECT_CONCURRENCY', count(1, 100_000), 200, 'handshakes in flight'),
  connectTimeoutMs: row('CONNECT_TIMEOUT_MS', millis(1, 3_600_000), 10_000, 'from dial to open'),
  connectDeadlineMs: row('CONNECT_DEADLINE_MS', optional(millis(1, 86_400_000)), undefined, 'end of the connect phase', {
    defaultText: '120000 plus roster ÷ rate',
  }),
  readyTimeoutMs: row('READY_TIMEOUT_MS', millis(1, 3_600_000), 10_000, 'from open to ready'),
  readyQuorum: row('READY_QUORUM', count(1, 10_000_000), 1, 'clients that must be ready before publishing starts'),
  reconnect: row('RECONNECT', flag(), false, 'dial again when a client is disconnected'),
  // phases
  canary: row('CANARY', flag(), true, 'one probe through the whole path first'),
  canaryTimeoutMs: row('CANARY_TIMEOUT_MS', millis(1, 3_600_000), 10_000, 'how long the canary may take'),
  warmupCount: row('WARMUP_COUNT', count(0, 10_000_000), 0, 'probes outside the figures, sent first'),
  firstProbeTimeoutMs: row(
    'FIRST_PROBE_TIMEOUT_MS',
    millis(1, 86_400_000),
    60_000,
    'INJECTOR=none: how long the first probe is waited for',
  ),
  quietMs: row('QUIET_MS', millis(1, 3_600_000), 5_000, 'the drain ends after this long without a delivery'),
  drainTimeoutMs: row('DRAIN_TIMEOUT_MS', millis(1, 86_400_000), 900_000, 'the drain ends in any case'),
  lingerMs: row('LINGER_MS', millis(0, 3_600_000), 0, 'how long metrics stay up after the run'),
  // the receiving side
  threads: row('THREADS', optional(count(1, 256)), undefined, 'receiver threads', {
    defaultText: 'max(1, min(cores − 1, CPU quota − 1, ⌈clients ÷ 5000⌉))',
  }),
  sentinels: row('SENTINELS', count(0, 10_000), 16, 'clients on a thread of their own, when the roster is larger than 500'),
  engine: row('ENGINE', choice(['fast', 'ws']), 'fast', 'the WebSocket client'),
  sourceAddresses: row('SOURCE_ADDRESSES', list('address or first-last', ','), [], 'local addresses to dial from, separated by commas'),
  ledgerMemoryMb: row('LEDGER_MEMORY_MB', count(1, 1_048_576), 1_024, 'what the books may take'),
  // several replicas
  replicas: row('REPLICAS', optional(count(1, 10_000)), undefined, 'how many must join', { defaultText: 'whoever joins' }),
  joinSettleMs: row('JOIN_SETTLE_MS', millis(0, 3_600_000), 5_000, 'go on when nobody has joined for this long'),
  joinTimeoutMs: row('JOIN_TIMEOUT_MS', millis(1, 3_600_000), 60_000, 'give up joining'),
  streamScope: row('STREAM_SCOPE', choice(['shared', 'replica']), 'shared', 'one stream for all replicas, or one each'),
  controlAmqpAddr: row(
    'CONTROL_AMQP_ADDR',
    optional(endpointList(['amqp:', 'amqps:'], { secret: true, single: true })),
    undefined,
    'broker for the control messages',
    {
      defaultText: 'AMQP_ADDR',
      secret: true,
    },
  ),
  maxClockBoundMs: row('MAX_CLOCK_BOUND_MS', number(0.001, 3_600_000, 'ms'), 5, 'a wider clock bound makes the run invalid'),
  // cross-checks and verdict
  targetMetricsUrl: row(
    'TARGET_METRICS_URL',
    optional(endpointList(['http:', 'https:'], { secret: true })),
    undefined,
    "the target's own /metrics",
    { secret: true },
  ),
  rabbitmqApiUrl: row(
    'RABBITMQ_API_URL',
    optional(endpointList(['http:', 'https:'], { secret: true, single: true })),
    undefined,
    'management API of the broker',
    { secret: true },
  ),
  thresholds: row('THRESHOLDS', text(0, 10_000), '', 'added to lost==0, missed==0, ready==100%'),
  allowInvalid: row('ALLOW_INVALID', flag(), false, 'judge by thresholds even when the tester was the limit'),
  // outputs
  metricsHost: row('METRICS_HOST', text(1, 255), '127.0.0.1', 'address of /metrics'),
  metricsPort: row('METRICS_PORT', count(0, 65_535), 9_464, 'port of /metrics; 0 takes a free one'),
  reportDir: row('REPORT_DIR', text(1, 4_096), 'reports', 'reports land in REPORT_DIR/<runId>/report.json'),
  logLevel: row('LOG_LEVEL', choice(['trace', 'debug', 'info', 'warn', 'error', 'silent']), 'info', 'logs on stderr'),
} as const

export type SettingsTable = typeof settingsTable
export type SettingName = keyof SettingsTable

/** Everything that was asked for, checked and complete. Plain data: it travels to threads and replicas as it is. */
export type Settings = { -readonly [K in SettingName]: SettingsTable[K] extends Setting<infer T> ? T : never }

/** Where a value came from; shown beside every complaint. */
export type Source = 'flag' | 'environment' | '.env file' | 'default'
