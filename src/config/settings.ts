/**
 * What can be asked for: one table. The parser, the flags, the help text, the README's table and the report's
 * `settings` group are all made from it; no default lives anywhere else. It knows nothing of argv or files.
 */
import { DEFAULT_TEMPLATE } from '../probe/template.ts'
import {
  addressList,
  choice,
  count,
  endpointList,
  flag,
  headerList,
  type Kind,
  millis,
  number,
  optional,
  password,
  path,
  pattern,
  regularExpression,
  secret,
  text,
} from './kinds.ts'

/** Headings of the help text and of the README's settings table, in this order. */
export const groups = ['Load', 'Target', 'Broker', 'Connecting', 'Phases', 'Receiving', 'Replicas', 'Verdict', 'Output'] as const
export type Group = (typeof groups)[number]

/** One row: where a setting comes from, what it may be, and what it means. `undefined` as default means "not set". */
export interface Setting<T> {
  readonly group: Group
  readonly env: string
  readonly flag: string
  readonly kind: Kind<T>
  readonly default: T
  /** Shown instead of the default in help and docs, where the default is computed. */
  readonly defaultText?: string
  readonly help: string
  /** The value may hold secrets; it is shown through `kind.redact` only. */
  readonly secret?: boolean
}

type More = { defaultText?: string; secret?: boolean }
type Row = <T>(env: string, kind: Kind<T>, defaultValue: T, help: string, more?: More) => Setting<T>

const rowsOf =
  (group: Group): Row =>
  (env, kind, defaultValue, help, more = {}) => ({
    group,
    env,
    flag: `--${env.toLowerCase().replaceAll('_', '-')}`,
    kind,
    default: defaultValue,
    help,
    ...more,
  })

const load = rowsOf('Load')
const target = rowsOf('Target')
const broker = rowsOf('Broker')
const connecting = rowsOf('Connecting')
const phases = rowsOf('Phases')
const receiving = rowsOf('Receiving')
const replicas = rowsOf('Replicas')
const verdict = rowsOf('Verdict')
const output = rowsOf('Output')

/** MSG_COUNT and MSG_DELAY when neither they nor DURATION and RATE are given: the seed tool's own. */
export const DEFAULT_MSG_COUNT = 1_000
export const DEFAULT_MSG_DELAY_MS = 30
/** CONNECT_DEADLINE_MS when it is not given: this much on top of what the roster takes at CONNECT_RATE. */
export const CONNECT_DEADLINE_BASE_MS = 120_000
/** THREADS when it is not given: one more receiver thread for so many clients, as far as cores go. */
export const CLIENTS_PER_THREAD = 5_000

/** Tokens have room for many more; the books of each stream are looked at once a second. */
const MAX_STREAMS = 10_000
const HEADER_TOKENS = /^[!#$%&'*+.^_`|~\w-]+(?:, ?[!#$%&'*+.^_`|~\w-]+)*$/

export const settingsTable = {
  wsPoolSize: load('WS_POOL_SIZE', count(1, 10_000_000), 20_000, 'clients (per replica when there are several)'),
  msgCount: load('MSG_COUNT', optional(count(1, 2_000_000_000)), undefined, 'probes per stream', { defaultText: `${DEFAULT_MSG_COUNT}` }),
  msgDelayMs: load(
    'MSG_DELAY',
    optional(number(0, 3_600_000, 'ms')),
    undefined,
    'between probes of a stream; 0: as fast as confirms allow',
    { defaultText: `${DEFAULT_MSG_DELAY_MS}` },
  ),
  rate: load('RATE', optional(number(0.001, 10_000_000, 'probes/s')), undefined, 'probes a second per stream, instead of MSG_DELAY'),
  durationS: load('DURATION', optional(number(0.001, 31_536_000, 's')), undefined, 'how long to publish, instead of MSG_COUNT'),
  catchUp: load('CATCH_UP', choice(['burst', 'skip']), 'burst', 'late slots: burst sends them at once, skip leaves them out'),
  msgSizeBytes: load('MSG_SIZE', optional(count(1, 16_777_216, 'bytes')), undefined, 'size of the body, padded with {{pad}}'),
  payloadTemplate: load(
    'PAYLOAD_TEMPLATE',
    optional(text(1, 1_048_576)),
    undefined,
    'body with {{probe}} and, if wanted, {{sequence}}, {{sentMs}}, {{pad}}',
    { defaultText: DEFAULT_TEMPLATE },
  ),
  stream: load(
    'STREAM',
    text(1, 255),
    'public.{{run}}',
    'what clients subscribe to; may hold {{run}}, {{index}} (of the stream), {{replica}}',
  ),
  streams: load(
    'STREAMS',
    count(1, MAX_STREAMS),
    1,
    'streams of the run, told apart by {{index}}; each gets an equal share of the clients',
  ),
  streamsPerClient: load('STREAMS_PER_CLIENT', count(1, 1_000), 1, 'streams each client subscribes to'),
  runId: load('RUN_ID', optional(pattern(/^[0-9a-z]{8}$/, '8 characters of 0-9 and a-z')), undefined, 'names the run', {
    defaultText: 'drawn',
  }),

  wsAddr: target(
    'WS_ADDR',
    endpointList(['ws:', 'wss:']),
    ['ws://localhost:8080/'],
    'target, or several separated by commas; a query string is kept',
  ),
  protocol: target('PROTOCOL', choice(['rango', 'plain', 'mqtt', 'stomp']), 'rango', 'dialect of the target: rango, plain, mqtt or stomp'),
  rangoSubscribe: target('RANGO_SUBSCRIBE', choice(['url', 'frames']), 'url', 'rango: subscribe by url or by frames'),
  plainReady: target(
    'PLAIN_READY',
    optional(regularExpression()),
    undefined,
    'plain: a client is ready on the first frame that matches this regular expression; without it, on open',
  ),
  mqttVersion: target('MQTT_VERSION', choice(['3.1.1', '5']), '3.1.1', 'mqtt: the version that is spoken, 3.1.1 or 5'),
  mqttClientId: target(
    'MQTT_CLIENT_ID',
    text(1, 1_024),
    'ff-{{run}}-{{index}}',
    'mqtt: client id; may hold {{run}}, {{index}} (of the client), {{replica}}',
  ),
  mqttQos: target('MQTT_QOS', count(0, 1), 0, 'mqtt: the QoS that is asked for; 1 is acknowledged'),
  stompVersion: target(
    'STOMP_VERSION',
    choice(['any', '1.0', '1.1', '1.2']),
    'any',
    'stomp: the version that is offered: 1.0, 1.1, 1.2, or any of them',
  ),
  stompHost: target('STOMP_HOST', text(1, 1_024), '/', 'stomp: virtual host'),
  protocolUser: target(
    'PROTOCOL_USER',
    optional(text(1, 1_024)),
    undefined,
    'mqtt, stomp: user; may hold {{run}}, {{index}} (of the client), {{replica}}',
  ),
  protocolPassword: target('PROTOCOL_PASSWORD', optional(password()), undefined, 'mqtt, stomp: password', { secret: true }),
  protocolKeepAliveS: target(
    'PROTOCOL_KEEPALIVE_S',
    count(0, 65_535, 's'),
    60,
    'mqtt: keep-alive; stomp: heart-beats both ways; beats go out twice as often; 0: none',
  ),
  wsHeaders: target('WS_HEADERS', headerList(), [], 'handshake headers, separated by semicolons', { secret: true }),
  wsSubprotocol: target(
    'WS_SUBPROTOCOL',
    optional(pattern(HEADER_TOKENS, 'subprotocol names separated by commas')),
    undefined,
    'offered instead of what the dialect offers',
  ),
  wsToken: target('WS_TOKEN', optional(secret()), undefined, 'sent as Authorization: Bearer', { secret: true }),
  tlsCa: target('TLS_CA', optional(path()), undefined, 'file with certificate authorities, for wss and amqps'),
  tlsCert: target('TLS_CERT', optional(path()), undefined, 'file with the client certificate'),
  tlsKey: target('TLS_KEY', optional(path()), undefined, 'file with the client key'),
  tlsInsecure: target('TLS_INSECURE', flag(), false, 'accept any certificate'),
  compression: target('COMPRESSION', flag(), false, 'offer permessage-deflate'),
  maxFrameBytes: target('MAX_FRAME_BYTES', count(125, 1_073_741_824, 'bytes'), 16_777_216, 'a longer message closes the client'),

  injector: broker('INJECTOR', choice(['amqp', 'none']), 'amqp', 'how probes get in: amqp, or none (another program publishes)'),
  amqpAddr: broker(
    'AMQP_ADDR',
    endpointList(['amqp:', 'amqps:'], { single: true }),
    ['amqp://guest:guest@localhost:5672/%2f'],
    'broker URL',
    {
      secret: true,
    },
  ),
  amqpExchange: broker('AMQP_EXCHANGE', text(1, 255), 'peatio.events.ranger', 'where probes are published'),
  amqpRoutingKey: broker('AMQP_ROUTING_KEY', text(1, 255), '{{stream}}', 'may hold {{stream}} (its name), {{run}}, {{index}}'),
  amqpDeclare: broker(
    'AMQP_DECLARE',
    choice(['passive', 'topic', 'direct', 'fanout', 'off']),
    'passive',
    'passive: check that the exchange exists; topic, direct, fanout: declare it so, non-durable; off: do neither',
  ),
  amqpWaitMs: broker('AMQP_WAIT_MS', millis(0, 3_600_000), 30_000, 'how long an unreachable broker or a missing exchange is waited for'),
  confirmWindow: broker('CONFIRM_WINDOW', count(1, 1_000_000), 1_000, 'probes that may be unconfirmed at a time'),
  resend: broker('RESEND', flag(), false, 'publish probes again whose confirm was lost with the connection'),

  connectRate: connecting('CONNECT_RATE', number(0.001, 1_000_000, 'clients/s'), 2_000, 'dials a second'),
  connectConcurrency: connecting('CONNECT_CONCURRENCY', count(1, 100_000), 200, 'handshakes in flight'),
  connectTimeoutMs: connecting('CONNECT_TIMEOUT_MS', millis(1, 3_600_000), 10_000, 'from dial to open'),
  connectDeadlineMs: connecting('CONNECT_DEADLINE_MS', optional(millis(1, 86_400_000)), undefined, 'end of the connect phase', {
    defaultText: `${CONNECT_DEADLINE_BASE_MS} plus roster ÷ rate`,
  }),
  readyTimeoutMs: connecting('READY_TIMEOUT_MS', millis(1, 3_600_000), 10_000, 'from open to ready'),
  readyQuorum: connecting('READY_QUORUM', count(1, 10_000_000), 1, 'clients that must be ready before publishing starts'),
  reconnect: connecting('RECONNECT', flag(), false, 'dial again when a client is disconnected'),

  canary: phases('CANARY', flag(), true, 'one probe through the whole path first'),
  canaryTimeoutMs: phases('CANARY_TIMEOUT_MS', millis(1, 3_600_000), 10_000, 'how long the canary may take'),
  warmupCount: phases('WARMUP_COUNT', count(0, 10_000_000), 0, 'probes outside the figures, sent first'),
  firstProbeTimeoutMs: phases(
    'FIRST_PROBE_TIMEOUT_MS',
    millis(1, 86_400_000),
    60_000,
    'INJECTOR=none: how long the first probe is waited for',
  ),
  quietMs: phases('QUIET_MS', millis(1, 3_600_000), 5_000, 'the drain ends after this long without a delivery'),
  drainTimeoutMs: phases('DRAIN_TIMEOUT_MS', millis(1, 86_400_000), 900_000, 'the drain ends in any case'),
  lingerMs: phases('LINGER_MS', millis(0, 3_600_000), 0, 'how long metrics stay up after the run'),

  threads: receiving('THREADS', optional(count(1, 256)), undefined, 'receiver threads', {
    defaultText: `max(1, min(cores − 1, CPU quota − 1, ⌈clients ÷ ${CLIENTS_PER_THREAD}⌉))`,
  }),
  sentinels: receiving('SENTINELS', count(0, 10_000), 16, 'clients on a thread of their own, when the roster is larger than 500'),
  engine: receiving('ENGINE', choice(['fast', 'ws']), 'fast', 'WebSocket client: fast, or ws (always with TLS or compression)'),
  sourceAddresses: receiving('SOURCE_ADDRESSES', addressList(), [], 'local addresses and ranges to dial from, separated by commas'),
  ledgerMemoryMb: receiving('LEDGER_MEMORY_MB', count(1, 1_048_576, 'MB'), 1_024, 'what the books may take'),

  runGroup: replicas(
    'RUN_GROUP',
    pattern(/^[\w.-]{1,64}$/, '1 to 64 letters, digits, dots, dashes or underscores'),
    'default',
    'coordinator and replicas that belong together',
  ),
  replicas: replicas('REPLICAS', optional(count(1, 10_000)), undefined, 'how many must join', { defaultText: 'whoever joins' }),
  joinSettleMs: replicas('JOIN_SETTLE_MS', millis(0, 3_600_000), 5_000, 'go on when nobody has joined for this long'),
  joinTimeoutMs: replicas('JOIN_TIMEOUT_MS', millis(1, 3_600_000), 60_000, 'give up joining'),
  streamScope: replicas('STREAM_SCOPE', choice(['shared', 'replica']), 'shared', 'shared: one stream for all; replica: one each'),
  controlAmqpAddr: replicas(
    'CONTROL_AMQP_ADDR',
    optional(endpointList(['amqp:', 'amqps:'], { single: true })),
    undefined,
    'broker for the control messages',
    { defaultText: 'AMQP_ADDR', secret: true },
  ),

  thresholds: verdict('THRESHOLDS', text(0, 10_000), '', 'added to lost==0, missed==0, ready==100%'),
  allowInvalid: verdict('ALLOW_INVALID', flag(), false, 'judge by thresholds even when the tester was the limit'),
  maxClockBoundMs: verdict('MAX_CLOCK_BOUND_MS', number(0.001, 3_600_000, 'ms'), 5, 'a wider clock bound makes the run invalid'),
  targetMetricsUrl: verdict(
    'TARGET_METRICS_URL',
    optional(endpointList(['http:', 'https:'])),
    undefined,
    "the target's own /metrics, or several separated by commas",
    { secret: true },
  ),
  rabbitmqApiUrl: verdict(
    'RABBITMQ_API_URL',
    optional(endpointList(['http:', 'https:'], { single: true })),
    undefined,
    'management API of the broker',
    { secret: true },
  ),

  metricsHost: output('METRICS_HOST', pattern(/^[\w.:%-]{1,255}$/, 'a host name or an IP address'), '127.0.0.1', 'address of /metrics'),
  metricsPort: output('METRICS_PORT', count(0, 65_535), 9_464, 'port of /metrics; 0 takes a free one'),
  reportDir: output('REPORT_DIR', path(), 'reports', 'reports land in REPORT_DIR/<runId>/report.json'),
  logLevel: output(
    'LOG_LEVEL',
    choice(['debug', 'info', 'warn', 'error', 'silent']),
    'info',
    'what stderr shows: debug, info (progress too), warn, error or silent',
  ),
} as const

export type SettingsTable = typeof settingsTable
export type SettingName = keyof SettingsTable

/** Everything that was asked for, checked and complete. Plain data: it travels to threads and replicas as it is. */
export type Settings = { -readonly [K in SettingName]: SettingsTable[K] extends Setting<infer T> ? T : never }

/** Where a value came from; shown beside every complaint. `demo default`: what `fanfare demo` asks for when nobody says otherwise. */
export type Source = 'flag' | 'environment' | '.env file' | 'demo default' | 'default'
