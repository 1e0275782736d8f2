/**
 * The faults that stand, and the questions connections and channels ask of them: is this connection let in, what becomes of
 * this confirm, is this method refused. Each strike is written into the truth log here, where it is decided.
 */
import { AmqpError } from '../amqp-error.ts'
import type { MethodName } from '../codec/methods.ts'
import type { Fault, Share } from './fault.ts'
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

type Kind<K extends Fault['kind']> = Extract<Fault, { kind: K }>

const PROMPT_ACK: ConfirmFate = { outcome: 'ack', delayMs: 0, isRouted: true }
const DROPPED: ConfirmFate = { outcome: 'drop', delayMs: 0, isRouted: true }
const DEFAULT_ALARM_REASON = 'low on memory'

export class StandingFaults {
  readonly #truth: TruthLog
  #alarmReason: string | undefined
  #confirmDelayMs = 0
  #nack: { readonly ration: Ration; readonly isRouted: boolean } | undefined
  #confirmDrop: Ration | undefined
  readonly #refusals = new Map<MethodName, { readonly ration: Ration; readonly fault: Kind<'refuse-method'> }>()
  #connectionRefusal: { left: number; readonly how: 'reset' | 'end' } | undefined
  #isWithholdingAll = false
  readonly #withheldQueues = new Set<string>()

  constructor(truth: TruthLog) {
    this.#truth = truth
  }

  /** Takes note of a standing fault; one of the same kind is replaced. */
  set(fault: Fault): void {
    switch (fault.kind) {
      case 'alarm':
        this.#alarmReason = fault.reason ?? DEFAULT_ALARM_REASON
        break
      case 'alarm-clear':
        this.#alarmReason = undefined
        break
      case 'confirm-delay':
        this.#confirmDelayMs = fault.delayMs
        break
      case 'nack':
        this.#nack = { ration: new Ration(fault.share), isRouted: fault.isRouted ?? false }
        break
      case 'confirm-drop':
        this.#confirmDrop = new Ration(fault.share)
        break
      case 'refuse-method':
        this.#refusals.set(fault.method, { ration: new Ration(fault.share), fault })
        break
      case 'refuse-connections':
        this.#connectionRefusal = { left: fault.next ?? Number.POSITIVE_INFINITY, how: fault.how ?? 'reset' }
        break
      case 'accept-connections':
        this.#connectionRefusal = undefined
        break
      case 'withhold-deliveries':
        if (fault.queue === undefined) this.#isWithholdingAll = true
        else this.#withheldQueues.add(fault.queue)
        break
      case 'release-deliveries':
        this.#isWithholdingAll = false
        this.#withheldQueues.clear()
        break
      case 'clear':
        this.#clear()
        break
      default:
        break
    }
  }

  get alarmReason(): string | undefined {
    return this.#alarmReason
  }

  /** How a new connection is to be dropped; undefined when it may come in. */
  refuseConnection(remotePort: number | undefined): 'reset' | 'end' | undefined {
    const refusal = this.#connectionRefusal
    if (refusal === undefined || refusal.left <= 0) return undefined
    refusal.left--
    this.#truth.note({ fault: 'refuse-connections', did: 'connection-refused', how: refusal.how, ...(remotePort && { remotePort }) })
    return refusal.how
  }

  /** Throws the error a method is to be answered with, if it is. */
  checkMethod(method: MethodName, at: { connection: number; channel: number }): void {
    if (this.#refusals.size === 0) return
    const refusal = this.#refusals.get(method)
    if (!refusal?.ration.take()) return
    const { code, text } = refusal.fault
    this.#truth.note({ fault: 'refuse-method', did: 'method-refused', method, code, ...at })
    throw new AmqpError(code, text ?? `${method} is refused on demand`)
  }

  /** Whether `confirmFate` has to be asked at all; asked for every publish. */
  get touchesConfirms(): boolean {
    return this.#confirmDelayMs > 0 || this.#nack !== undefined || this.#confirmDrop !== undefined
  }

  confirmFate(publication: Publication): ConfirmFate {
    if (this.#nack?.ration.take()) {
      this.#truth.note({ fault: 'nack', did: 'nacked', ...publication })
      return { outcome: 'nack', delayMs: 0, isRouted: this.#nack.isRouted }
    }
    if (this.#confirmDrop?.take()) {
      this.#truth.note({ fault: 'confirm-drop', did: 'confirm-dropped', ...publication })
      return DROPPED
    }
    if (this.#confirmDelayMs > 0) {
      this.#truth.note({ fault: 'confirm-delay', did: 'confirm-delayed', delayMs: this.#confirmDelayMs, ...publication })
      return { outcome: 'ack', delayMs: this.#confirmDelayMs, isRouted: true }
    }
    return PROMPT_ACK
  }

  withholds(queue: string): boolean {
    return this.#isWithholdingAll || (this.#withheldQueues.size > 0 && this.#withheldQueues.has(queue))
  }

  #clear(): void {
    this.#alarmReason = undefined
    this.#confirmDelayMs = 0
    this.#nack = undefined
    this.#confirmDrop = undefined
    this.#refusals.clear()
    this.#connectionRefusal = undefined
    this.#isWithholdingAll = false
    this.#withheldQueues.clear()
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
