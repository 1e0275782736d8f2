/**
 * The way in that the settings ask for. To add one: a file beside this one that implements `Injector`, and a row here.
 */
import type { Settings } from '../config/settings.ts'
import { assert } from '../errors.ts'
import { parseAmqpAddress } from './amqp-address.ts'
import { AmqpInjector } from './amqp-injector.ts'
import type { LinkTls } from './dial-broker.ts'
import type { Injector } from './injector.ts'

/** Confirms may take seconds however short the patience with an unreachable broker is. */
const MIN_STALL_MS = 10_000

export interface InjectorFacts {
  readonly runId: string
  readonly tls: LinkTls
  /** The run clock, microseconds. */
  readonly nowUs: () => number
}

/** Throws `settings-invalid` for an address that makes no sense. Connects to nothing yet. */
export function createInjector(settings: Settings, { runId, tls, nowUs }: InjectorFacts): Injector {
  assert(settings.injector === 'amqp', `INJECTOR=${settings.injector} has no injector: another program publishes`)
  return new AmqpInjector({
    address: parseAmqpAddress(settings.amqpAddr[0]!),
    tls,
    connectionName: `fanfare publisher ${runId}`,
    exchange: settings.amqpExchange,
    declare: settings.amqpDeclare,
    window: settings.confirmWindow,
    waitMs: settings.amqpWaitMs,
    stallMs: Math.max(MIN_STALL_MS, settings.amqpWaitMs),
    nowUs,
  })
}
