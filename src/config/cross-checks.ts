/**
 * Rules about several settings at once, and rules that other parts own. Pure, but for the checks of TLS files they end with.
 */
import { type CrossCheck, type Facts, failureOf, named } from './cross-check.ts'
import { countPerStream, pacePlan, streamPlan } from './plan.ts'
import type { SettingName } from './settings.ts'
import { placeholdersIn } from './templates.ts'
import { tlsFileChecks } from './tls-files.ts'

/** The pairs that say the same thing in two ways; the first wins over a default of the second. */
export const counterparts: readonly (readonly [SettingName, SettingName])[] = [
  ['rate', 'msgDelayMs'],
  ['durationS', 'msgCount'],
]

/** The token's sequence has ten digits; MSG_COUNT keeps far below, DURATION × rate must too. */
const MAX_COUNT = 2_000_000_000
const MAX_ROUTING_KEY_BYTES = 255
const SAMPLE_RUN_ID = '00000000'

export const crossChecks: readonly CrossCheck[] = [
  ...counterparts.map(([first, second]) => ({
    about: [first, second],
    problem: (facts: Facts) =>
      facts.isGiven(first) && facts.isGiven(second)
        ? `Expected either ${named(first)} or ${named(second)}, got both (${facts.origin(first)} and ${facts.origin(second)})`
        : undefined,
  })),
  {
    about: ['durationS', 'rate', 'msgDelayMs'],
    problem: ({ settings, origin }) =>
      settings.durationS !== undefined && pacePlan(settings).kind === 'closed'
        ? `Expected \`DURATION\` to come with a pace above 0, got \`MSG_DELAY\` \`0\` (${origin('msgDelayMs')}); give MSG_COUNT instead`
        : undefined,
  },
  {
    about: ['durationS', 'rate', 'msgDelayMs', 'msgCount'],
    problem({ settings, origin }) {
      const count = countPerStream(settings) ?? 0
      if (count <= MAX_COUNT) return undefined
      return `Expected \`DURATION\` to make at most ${MAX_COUNT} probes per stream, got ${count} (${origin('durationS')})`
    },
  },
  {
    about: ['readyQuorum', 'wsPoolSize', 'replicas'],
    problem({ settings, origin, isReplicated }) {
      if (isReplicated && settings.replicas === undefined) return undefined // who joins is not known yet
      const roster = settings.wsPoolSize * (isReplicated ? settings.replicas! : 1)
      if (settings.readyQuorum <= roster) return undefined
      return `Expected \`READY_QUORUM\` to be at most the roster of ${roster} clients, got \`${settings.readyQuorum}\` (${origin('readyQuorum')})`
    },
  },
  {
    about: ['stream'],
    problem: (facts) => unknownPlaceholder(facts, 'stream', ['run', 'stream', 'replica']),
  },
  {
    about: ['amqpRoutingKey'],
    problem: (facts) => unknownPlaceholder(facts, 'amqpRoutingKey', ['stream', 'run', 'index']),
  },
  {
    about: ['stream', 'streamScope'],
    problem({ settings, isGiven, origin }) {
      const tellsApart = placeholdersIn(settings.stream).some((name) => name === 'replica' || name === 'stream')
      if (settings.streamScope === 'replica' && isGiven('stream') && !tellsApart) {
        return `Expected \`STREAM\` to hold {{replica}} when STREAM_SCOPE=replica, got \`${settings.stream}\` (${origin('stream')})`
      }
      if (settings.streamScope === 'shared' && placeholdersIn(settings.stream).includes('replica')) {
        return `Expected \`STREAM\` to hold {{replica}} only when STREAM_SCOPE=replica, got \`${settings.stream}\` (${origin('stream')})`
      }
      return undefined
    },
  },
  {
    about: ['stream', 'amqpRoutingKey', 'streamScope'],
    problem({ settings, origin }) {
      const keyBytes = Buffer.byteLength(streamPlan(settings, SAMPLE_RUN_ID, 0).routingKey)
      if (keyBytes <= MAX_ROUTING_KEY_BYTES) return undefined
      return `Expected \`AMQP_ROUTING_KEY\` to make keys of at most ${MAX_ROUTING_KEY_BYTES} bytes, got ${keyBytes} (${origin('amqpRoutingKey')})`
    },
  },
  {
    about: ['payloadTemplate', 'msgSizeBytes', 'msgCount', 'durationS', 'rate', 'msgDelayMs'],
    problem({ settings, rules, isGiven, origin }) {
      const lastSequence = (countPerStream(settings) ?? 1) - 1
      const answer = rules.body?.({ template: settings.payloadTemplate, sizeBytes: settings.msgSizeBytes, lastSequence }) ?? {}
      if (!('problem' in answer)) return undefined
      const about = (['payloadTemplate', 'msgSizeBytes'] as const).filter(isGiven)
      return `Expected ${about.map(named).join(' and ')} to make a body (${about.map(origin).join(' and ')}): ${answer.problem}`
    },
  },
  {
    about: ['thresholds'],
    problem({ settings, rules, origin }) {
      const wrong = failureOf(() => rules.thresholds?.(settings.thresholds))
      return wrong === undefined ? undefined : `Expected \`THRESHOLDS\` to be checks such as p99<250ms (${origin('thresholds')}):\n${wrong}`
    },
  },
  {
    about: ['amqpAddr'],
    problem: ({ settings, rules, origin }) => {
      const wrong = failureOf(() => rules.brokerAddress?.(settings.amqpAddr[0]!))
      return wrong === undefined ? undefined : `Expected \`AMQP_ADDR\` to be the address of a broker (${origin('amqpAddr')}): ${wrong}`
    },
  },
  {
    about: [
      'protocol',
      'rangoSubscribe',
      'plainReady',
      'wsAddr',
      'wsHeaders',
      'wsSubprotocol',
      'wsToken',
      'stream',
      'streamScope',
      'amqpRoutingKey',
      'wsPoolSize',
    ],
    problem: ({ settings, rules }) => failureOf(() => rules.dialect?.(settings)),
  },
  ...tlsFileChecks,
]

function unknownPlaceholder({ settings, origin }: Facts, name: 'stream' | 'amqpRoutingKey', known: readonly string[]): string | undefined {
  const unknown = placeholdersIn(settings[name]).filter((placeholder) => !known.includes(placeholder))
  if (unknown.length === 0) return undefined
  const list = (names: readonly string[]) => names.map((placeholder) => `{{${placeholder}}}`).join(', ')
  return `Expected ${named(name)} to hold no placeholders but ${list(known)}, got ${list(unknown)} (${origin(name)})`
}
