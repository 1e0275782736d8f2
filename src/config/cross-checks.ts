/**
 * Rules about several settings, or about a setting and the world around it. Each rule names the settings it is about, so
 * the loader leaves it out when one of them is already wrong. Rules are pure but for the TLS files they read.
 */
import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import { describeError } from '../errors.ts'
import { countPerStream, pacePlan, streamPlan } from './plan.ts'
import { type SettingName, type Settings, settingsTable } from './settings.ts'
import { placeholdersIn } from './templates.ts'

/** What other parts know about values that are theirs; handed in, because settings import none of them. */
export interface ForeignRules {
  /** Throws with a sentence when the text is no list of checks. */
  readonly thresholds?: (text: string) => unknown
  /** Answers `{ problem }` with a sentence when no body can be made. */
  readonly body?: (asked: { template: string | undefined; sizeBytes: number | undefined; lastSequence: number }) => object
  /** Throws with a sentence when the dialect cannot work with its settings. */
  readonly dialect?: (settings: Settings) => unknown
}

export interface Facts {
  readonly settings: Settings
  /** Somebody asked for it: it comes from a flag, the environment or the .env file. */
  isGiven(name: SettingName): boolean
  /** `from the environment` and the like. */
  origin(name: SettingName): string
  readonly rules: ForeignRules
  /** The command works with replicas, so WS_POOL_SIZE is one replica's share. */
  readonly isReplicated: boolean
}

interface CrossCheck {
  readonly about: readonly SettingName[]
  problem(facts: Facts): string | undefined
}

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
    about: ['protocol', 'rangoSubscribe', 'plainReady', 'wsAddr', 'wsHeaders', 'wsSubprotocol', 'wsToken', 'stream'],
    problem: ({ settings, rules }) => failureOf(() => rules.dialect?.(settings)),
  },
  {
    about: ['tlsCert', 'tlsKey'],
    problem({ settings: { tlsCert, tlsKey }, origin }) {
      if ((tlsCert === undefined) === (tlsKey === undefined)) return undefined
      const [there, missing] = tlsCert === undefined ? (['tlsKey', 'tlsCert'] as const) : (['tlsCert', 'tlsKey'] as const)
      return `Expected ${named(missing)} to be given together with ${named(there)}, got only ${named(there)} (${origin(there)})`
    },
  },
  ...(['tlsCa', 'tlsCert', 'tlsKey'] as const).map((name) => ({
    about: [name],
    problem({ settings, origin }: Facts) {
      const file = settings[name]
      const wrong = file === undefined ? undefined : failureOf(() => readFileSync(file))
      return wrong === undefined ? undefined : `Expected ${named(name)} to be a readable file, got \`${file}\`: ${wrong} (${origin(name)})`
    },
  })),
  {
    about: ['tlsCa', 'tlsCert', 'tlsKey'],
    problem({ settings: { tlsCa, tlsCert, tlsKey } }) {
      const wrong = failureOf(() => {
        const files = readable({ ca: tlsCa, cert: tlsCert, key: tlsKey })
        if (files !== undefined) createSecureContext(files)
      })
      return wrong === undefined
        ? undefined
        : `Expected \`TLS_CA\`, \`TLS_CERT\` and \`TLS_KEY\` to be PEM files that belong together, got an error: ${wrong}`
    },
  },
]

const named = (name: SettingName): string => `\`${settingsTable[name].env}\``

function unknownPlaceholder({ settings, origin }: Facts, name: 'stream' | 'amqpRoutingKey', known: readonly string[]): string | undefined {
  const unknown = placeholdersIn(settings[name]).filter((placeholder) => !known.includes(placeholder))
  if (unknown.length === 0) return undefined
  const list = (names: readonly string[]) => names.map((placeholder) => `{{${placeholder}}}`).join(', ')
  return `Expected ${named(name)} to hold no placeholders but ${list(known)}, got ${list(unknown)} (${origin(name)})`
}

/** The contents of those files that are given; undefined when one cannot be read, which is another rule's complaint. */
function readable(files: Record<string, string | undefined>): Record<string, Buffer> | undefined {
  try {
    return Object.fromEntries(Object.entries(files).flatMap(([name, file]) => (file === undefined ? [] : [[name, readFileSync(file)]])))
  } catch {
    return undefined
  }
}

function failureOf(attempt: () => unknown): string | undefined {
  try {
    attempt()
    return undefined
  } catch (error) {
    return describeError(error)
  }
}
