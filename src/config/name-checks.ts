/**
 * Rules about the templates names are made from: streams, routing keys, client ids and users. Names that should differ must
 * differ, and placeholders that nothing would fill in are refused.
 */
import { type CrossCheck, type Facts, named } from './cross-check.ts'
import { streamPlan, tellsStreamsApart } from './plan.ts'
import { placeholdersIn } from './templates.ts'

const MAX_ROUTING_KEY_BYTES = 255
const SAMPLE_RUN_ID = '00000000'

export const nameChecks: readonly CrossCheck[] = [
  {
    about: ['stream'],
    problem: (facts) => unknownPlaceholder(facts, 'stream', ['run', 'index', 'stream', 'replica']),
  },
  {
    about: ['amqpRoutingKey'],
    problem: (facts) => unknownPlaceholder(facts, 'amqpRoutingKey', ['stream', 'run', 'index', 'replica']),
  },
  ...(['mqttClientId', 'protocolUser'] as const).map((name) => ({
    about: [name],
    problem: (facts: Facts) => unknownPlaceholder(facts, name, ['run', 'index', 'replica']),
  })),
  {
    about: ['protocol', 'mqttClientId', 'wsPoolSize'],
    problem({ settings, origin, isReplicated }) {
      const { protocol, mqttClientId, wsPoolSize } = settings
      if (protocol !== 'mqtt' || (wsPoolSize === 1 && !isReplicated) || placeholdersIn(mqttClientId).includes('index')) return undefined
      return `Expected \`MQTT_CLIENT_ID\` to hold {{index}}, since brokers drop a client when another takes its id, got \`${mqttClientId}\` (${origin('mqttClientId')})`
    },
  },
  {
    about: ['stream', 'streams', 'streamScope'],
    problem({ settings, isGiven, origin }) {
      const { stream, streams, streamScope } = settings
      if (isGiven('stream') && !tellsStreamsApart(settings)) {
        const [wanted, why] = streams > 1 ? ['{{index}}', `STREAMS=${streams}`] : ['{{replica}}', 'STREAM_SCOPE=replica']
        return `Expected \`STREAM\` to hold ${wanted} when ${why}, got \`${stream}\` (${origin('stream')})`
      }
      if (streamScope === 'shared' && placeholdersIn(stream).includes('replica')) {
        return `Expected \`STREAM\` to hold {{replica}} only when STREAM_SCOPE=replica, got \`${stream}\` (${origin('stream')})`
      }
      return undefined
    },
  },
  {
    about: ['streams', 'streamsPerClient'],
    problem({ settings: { streams, streamsPerClient }, origin }) {
      if (streamsPerClient <= streams) return undefined
      return `Expected \`STREAMS_PER_CLIENT\` to be at most STREAMS (${streams}), got \`${streamsPerClient}\` (${origin('streamsPerClient')})`
    },
  },
  {
    about: ['stream', 'amqpRoutingKey', 'streamScope', 'streams'],
    problem({ settings, origin }) {
      const keyBytes = Buffer.byteLength(streamPlan(settings, SAMPLE_RUN_ID, settings.streams - 1).routingKey)
      if (keyBytes <= MAX_ROUTING_KEY_BYTES) return undefined
      return `Expected \`AMQP_ROUTING_KEY\` to make keys of at most ${MAX_ROUTING_KEY_BYTES} bytes, got ${keyBytes} (${origin('amqpRoutingKey')})`
    },
  },
]

type TemplateSetting = 'stream' | 'amqpRoutingKey' | 'mqttClientId' | 'protocolUser'

function unknownPlaceholder({ settings, origin }: Facts, name: TemplateSetting, known: readonly string[]): string | undefined {
  const unknown = placeholdersIn(settings[name] ?? '').filter((placeholder) => !known.includes(placeholder))
  if (unknown.length === 0) return undefined
  const list = (names: readonly string[]) => names.map((placeholder) => `{{${placeholder}}}`).join(', ')
  return `Expected ${named(name)} to hold no placeholders but ${list(known)}, got ${list(unknown)} (${origin(name)})`
}
