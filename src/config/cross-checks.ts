/**
 * Rules about several settings at once, and rules that other parts own. Pure, but for the checks of TLS files they end with.
 */
import { type CrossCheck, type Facts, failureOf, named } from './cross-check.ts'
import { nameChecks } from './name-checks.ts'
import { countPerStream, lastSequence, pacePlan } from './plan.ts'
import type { SettingName } from './settings.ts'
import { tlsFileChecks } from './tls-files.ts'

/** The pairs that say the same thing in two ways; the first wins over a default of the second. */
export const counterparts: readonly (readonly [SettingName, SettingName])[] = [
  ['rate', 'msgDelayMs'],
  ['durationS', 'msgCount'],
]

/** The token's sequence has ten digits; MSG_COUNT keeps far below, DURATION × rate must too. */
const MAX_COUNT = 2_000_000_000

/** What a dialect may complain about. */
const dialectSettings: readonly SettingName[] = [
  ...(['protocol', 'rangoSubscribe', 'plainReady', 'wsAddr', 'wsHeaders', 'wsSubprotocol', 'wsToken', 'stream'] as const),
  ...(['streams', 'streamsPerClient', 'streamScope', 'amqpRoutingKey', 'wsPoolSize'] as const),
  ...(['mqttVersion', 'mqttClientId', 'mqttQos', 'stompVersion', 'stompHost'] as const),
  ...(['protocolUser', 'protocolPassword', 'protocolKeepAliveS', 'maxFrameBytes'] as const),
]

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
    about: ['warmupCount', 'streams'],
    problem({ settings: { warmupCount, streams }, origin }) {
      if (warmupCount * streams <= MAX_COUNT) return undefined
      return `Expected \`WARMUP_COUNT\` × STREAMS to be at most ${MAX_COUNT} probes, got ${warmupCount * streams} (${origin('warmupCount')})`
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
  ...nameChecks,
  {
    about: ['payloadTemplate', 'msgSizeBytes', 'msgCount', 'durationS', 'rate', 'msgDelayMs', 'warmupCount', 'streams'],
    problem({ settings, rules, isGiven, origin }) {
      const { payloadTemplate: template, msgSizeBytes: sizeBytes } = settings
      const answer = rules.body?.({ template, sizeBytes, lastSequence: lastSequence(settings) }) ?? {}
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
    about: dialectSettings,
    problem: ({ settings, rules }) => failureOf(() => rules.dialect?.(settings)),
  },
  ...tlsFileChecks,
]
