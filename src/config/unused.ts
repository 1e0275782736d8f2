/**
 * Settings that were asked for but do nothing in this combination. That is no mistake worth refusing (one environment may
 * serve several commands), but silence would let people believe they changed something.
 */
import { type SettingName, type Settings, settingsTable } from './settings.ts'

interface Use {
  /** When the names do something, in words: "with INJECTOR=amqp". */
  readonly when: string
  readonly names: readonly SettingName[]
  isUsed(settings: Settings, isReplicated: boolean): boolean
}

const uses: readonly Use[] = [
  {
    when: 'with INJECTOR=amqp',
    names: [
      'rate',
      'durationS',
      'msgDelayMs',
      'catchUp',
      'msgSizeBytes',
      'payloadTemplate',
      'warmupCount',
      'canary',
      'canaryTimeoutMs',
      'amqpExchange',
      'amqpRoutingKey',
      'amqpDeclare',
      'amqpWaitMs',
      'confirmWindow',
      'resend',
    ],
    isUsed: ({ injector }) => injector !== 'none',
  },
  { when: 'with INJECTOR=none', names: ['firstProbeTimeoutMs'], isUsed: ({ injector }) => injector === 'none' },
  { when: 'with MSG_DELAY above 0 or RATE', names: ['catchUp'], isUsed: ({ msgDelayMs, rate }) => rate !== undefined || msgDelayMs !== 0 },
  { when: 'with CANARY=on', names: ['canaryTimeoutMs'], isUsed: ({ canary }) => canary },
  { when: 'with PROTOCOL=rango', names: ['rangoSubscribe'], isUsed: ({ protocol }) => protocol === 'rango' },
  { when: 'with PROTOCOL=plain', names: ['plainReady'], isUsed: ({ protocol }) => protocol === 'plain' },
  { when: 'with PROTOCOL=mqtt', names: ['mqttVersion', 'mqttClientId', 'mqttQos'], isUsed: ({ protocol }) => protocol === 'mqtt' },
  { when: 'with PROTOCOL=stomp', names: ['stompVersion', 'stompHost'], isUsed: ({ protocol }) => protocol === 'stomp' },
  {
    when: 'with PROTOCOL=mqtt or PROTOCOL=stomp',
    names: ['protocolUser', 'protocolPassword', 'protocolKeepAliveS'],
    isUsed: ({ protocol }) => protocol === 'mqtt' || protocol === 'stomp',
  },
  { when: 'with wss:// or amqps:// addresses', names: ['tlsCa', 'tlsCert', 'tlsKey', 'tlsInsecure'], isUsed: speaksTls },
  {
    when: 'with `fanfare coordinate` and `fanfare replica`',
    names: ['replicas', 'joinSettleMs', 'joinTimeoutMs', 'streamScope', 'controlAmqpAddr'],
    isUsed: (_, isReplicated) => isReplicated,
  },
  { when: 'by cross-checks, which this version does not have', names: ['targetMetricsUrl', 'rabbitmqApiUrl'], isUsed: () => false },
]

/** A sentence for each setting that was given and does nothing. */
export function unusedSettings(asked: {
  readonly settings: Settings
  readonly given: readonly SettingName[]
  readonly decidedByCommand: readonly SettingName[]
  readonly isReplicated: boolean
}): string[] {
  const { settings, given, decidedByCommand, isReplicated } = asked
  const decided = given.filter((name) => decidedByCommand.includes(name)).map((name) => `${nothing(name)}: this command brings its own.`)
  const idle = uses
    .filter((use) => !use.isUsed(settings, isReplicated))
    .flatMap(({ when, names }) => names.filter((name) => given.includes(name)).map((name) => `${nothing(name)}: it is used ${when}.`))
  return [...decided, ...idle]
}

const nothing = (name: SettingName): string => `${settingsTable[name].env} does nothing here`

function speaksTls({ wsAddr, amqpAddr, controlAmqpAddr }: Settings): boolean {
  return [...wsAddr, ...amqpAddr, ...(controlAmqpAddr ?? [])].some((url) => /^(?:wss|amqps):/i.test(url))
}
