/**
 * The faults that stand, and the questions connections and channels ask of them: is this connection let in, what becomes of
 * this confirm, is this method refused. Each strike is written into the truth log here, where it is decided.
 */
import { AmqpError } from '../amqp-error.ts'
import type { MethodName } from '../codec/methods.ts'
import type { Share, StandingFault } from './fault.ts'
import type { TruthLog } from './truth-log.ts'

/** What becomes of one published message. */
export interface ConfirmFate {
  readonly outcome: 'ack' | 'nack' | 'drop'
  readonly delayMs: number
  readonly isRouted: boolean
}

/** A publish on a confirm channel, as the truth log names it. */
export interface Publication {
  readonly connection: number
  readonly channel: number
  readonly deliveryTag: number
  readonly messageId?: string
  readonly exchange: string
  readonly routingKey: string
}

type Kind = StandingFault['kind']
type FaultOf<K extends Kind> = Extract<StandingFault, { kind: K }>

/** A fault that strikes a share of what passes by. */
interface Struck<K extends Kind> {
  readonly fault: FaultOf<K>
  readonly ration: Ration
}

const DEFAULT_ALARM_REASON = 'low on memory'

export class StandingFaults {
  readonly #truth: TruthLog
  #alarmReason: string | undefined
  #confirmDelayMs = 0
  #nack: Struck<'nack'> | undefined
  #confirmDrop: Struck<'confirm-drop'> | undefined
  #connectionRefusal: { left: number; readonly how: 'reset' | 'end' } | undefined
  #isWithholdingAll = false
  readonly #refusals = new Map<MethodName, Struck<'refuse-method'>>()
  readonly #withheldQueues = new Set<string>()

  constructor(truth: TruthLog) {
    this.#truth = truth
  }

  /** One of the same kind is replaced; refusals of other methods and withheld other queues stay. */
  set(fault: StandingFault): void {
    switch (fault.kind) {
      case 'alarm':
        this.#alarmReason = fault.reason ?? DEFAULT_ALARM_REASON
        break
      case 'confirm-delay':
        this.#confirmDelayMs = fault.delayMs
        break
      case 'nack':
        this.#nack = { fault, ration: new Ration(fault) }
        break
      case 'confirm-drop':
        this.#confirmDrop = { fault, ration: new Ration(fault) }
        break
      case 'refuse-method':
        this.#refusals.set(fault.method, { fault, ration: new Ration(fault) })
        break
      case 'refuse-connections':
        this.#connectionRefusal = { left: fault.next ?? Number.POSITIVE_INFINITY, how: fault.how ?? 'reset' }
        break
      case 'withhold-deliveries':
        if (fault.queue === undefined) this.#isWithholdingAll = true
        else this.#withheldQueues.add(fault.queue)
        break
    }
  }

  /** Ends the faults of a kind, or all. */
  clear(of: Kind | undefined): void {
    const isMeant = (kind: Kind) => of === undefined || of === kind
    if (isMeant('alarm')) this.#alarmReason = undefined
    if (isMeant('confirm-delay')) this.#confirmDelayMs = 0
    if (isMeant('nack')) this.#nack = undefined
    if (isMeant('confirm-drop')) this.#confirmDrop = undefined
    if (isMeant('refuse-method')) this.#refusals.clear()
    if (isMeant('refuse-connections')) this.#connectionRefusal = undefined
    if (isMeant('withhold-deliveries')) {
      this.#isWithholdingAll = false
      this.#withheldQueues.clear()
    }
  }

  /** What `connection.blocked` says; undefined without an alarm. */
  get alarmReason(): string | undefined {
    return this.#alarmReason
  }

  /** How a new connection is to be dropped; undefined when it may come in. */
  refusesConnection(remotePort: number | undefined): 'reset' | 'end' | undefined {
    const refusal = this.#connectionRefusal
    if (refusal === undefined || refusal.left <= 0) return undefined
    refusal.left--
    this.#truth.note({ fault: 'refuse-connections', did: 'connection-refused', remotePort, how: refusal.how })
    return refusal.how
  }

  /** Throws the error a method is to be answered with, if it is. */
  checkMethod(method: MethodName, at: { connection: number; channel: number }): void {
    if (this.#refusals.size === 0) return
    const refusal = this.#refusals.get(method)
    if (!refusal?.ration.take()) return
    const { code, text } = refusal.fault
    this.#truth.note({ fault: 'refuse-method', did: 'method-refused', ...at, method, code })
    throw new AmqpError(code, text ?? `${method} is refused on demand`)
  }

  /** Whether `confirmFate` has to be asked at all; asked for every publish. */
  get touchesConfirms(): boolean {
    return this.#confirmDelayMs > 0 || this.#nack !== undefined || this.#confirmDrop !== undefined
  }

  confirmFate(publication: Publication): ConfirmFate {
    if (this.#nack?.ration.take()) {
      this.#truth.note({ fault: 'nack', did: 'nacked', ...publication })
      return { outcome: 'nack', delayMs: 0, isRouted: this.#nack.fault.isRouted ?? false }
    }
    if (this.#confirmDrop?.ration.take()) {
      this.#truth.note({ fault: 'confirm-drop', did: 'confirm-dropped', ...publication })
      return { outcome: 'drop', delayMs: 0, isRouted: true }
    }
    const delayMs = this.#confirmDelayMs
    if (delayMs > 0) this.#truth.note({ fault: 'confirm-delay', did: 'confirm-delayed', ...publication, delayMs })
    return { outcome: 'ack', delayMs, isRouted: true }
  }

  withholds(queue: string): boolean {
    return this.#isWithholdingAll || (this.#withheldQueues.size > 0 && this.#withheldQueues.has(queue))
  }
}

/** Counts what passes by and says whether this one is hit. */
class Ration {
  readonly #share: Share
  #passed = 0

  constructor(share: Share) {
    this.#share = share
  }

  take(): boolean {
    this.#passed++
    return 'next' in this.#share ? this.#passed <= this.#share.next : this.#passed % this.#share.every === 0
  }
}
