/**
 * The publisher's thread: an event loop of its own, so that receivers at full load make neither heartbeats nor pacing late. It
 * answers the main thread's calls and hands over a snapshot every second; the work is the InjectingPublisher's.
 */

import { parentPort, workerData } from 'node:worker_threads'
import { createInjector } from '../broker/create-injector.ts'
import { readTlsMaterial } from '../clients/engines/tls-material.ts'
import { lastSequence } from '../config/plan.ts'
import { assert } from '../errors.ts'
import { RunClock } from '../measure/clock.ts'
import { compileTemplate } from '../probe/template.ts'
import { US_PER_SECOND } from '../units.ts'
import { PreciseAlarm } from './alarm.ts'
import { InjectingPublisher } from './injecting-publisher.ts'
import {
  type FromPublisher,
  type PublisherAnswers,
  type PublisherCall,
  type PublisherThreadData,
  type ToPublisher,
  toWire,
} from './publisher-messages.ts'
import { PublisherThreadHealth } from './publisher-thread-health.ts'

const SNAPSHOT_EVERY_MS = 1_000

class PublisherThread {
  readonly #data: PublisherThreadData
  readonly #tell: (message: FromPublisher) => void
  readonly #running = new Map<number, AbortController>()
  #publisher: InjectingPublisher | undefined
  #handingOver: NodeJS.Timeout | undefined
  #toldUntilSecond = 0

  constructor(data: PublisherThreadData, tell: (message: FromPublisher) => void) {
    this.#data = data
    this.#tell = tell
  }

  hear(message: ToPublisher): void {
    switch (message.kind) {
      case 'call':
        void this.#answer(message.id, message.call)
        return
      case 'abort':
        this.#running.get(message.id)?.abort()
        return
      case 'snapshot-please':
        this.#handOver()
        return
    }
  }

  async #answer(id: number, call: PublisherCall): Promise<void> {
    const abort = new AbortController()
    this.#running.set(id, abort)
    try {
      this.#tell({ kind: 'answer', id, value: await this.#calls[call](abort.signal) })
    } catch (error) {
      this.#tell({ kind: 'failure', id, error: toWire(error) })
    } finally {
      this.#running.delete(id)
    }
  }

  readonly #calls: { readonly [C in PublisherCall]: (signal: AbortSignal) => Promise<PublisherAnswers[C]> } = {
    open: async (signal) => {
      // Made here and not earlier, so that a setting that turns out to be wrong is an answer and not the thread's death.
      this.#publisher = makePublisher(this.#data, this.#tell)
      await this.#publisher.open(signal)
      this.#handingOver = setInterval(() => this.#handOver(), SNAPSHOT_EVERY_MS)
      return undefined
    },
    canary: (signal) => this.#opened.canary(signal),
    'warm-up': async (signal) => {
      await this.#opened.warmUp(signal)
      return undefined
    },
    publish: async (signal) => {
      const outcome = await this.#opened.publish(signal)
      this.#handOver()
      return outcome
    },
    close: async () => {
      clearInterval(this.#handingOver)
      await this.#publisher?.close()
      this.#handOver()
      return undefined
    },
  }

  get #opened(): InjectingPublisher {
    assert(this.#publisher !== undefined, 'the publisher was not opened')
    return this.#publisher
  }

  /** The second that is still running is told again next time. */
  #handOver(): void {
    if (this.#publisher === undefined) return
    const snapshot = this.#publisher.snapshot()
    const timeline = snapshot.timeline.filter(([second]) => second >= this.#toldUntilSecond)
    this.#toldUntilSecond = Math.floor((snapshot.endedUs ?? 0) / US_PER_SECOND)
    this.#tell({ kind: 'snapshot', snapshot: { ...snapshot, timeline } })
  }
}

function makePublisher({ plan, log }: PublisherThreadData, tell: (message: FromPublisher) => void): InjectingPublisher {
  const { settings } = plan
  const clock = new RunClock(plan.runClockOffsetUs)
  const health = new PublisherThreadHealth(clock, plan.replica)
  const nowUs = (): number => clock.nowUs()
  const template = compileTemplate({
    template: settings.payloadTemplate,
    sizeBytes: settings.msgSizeBytes,
    lastSequence: lastSequence(settings),
  })
  assert('render' in template, 'the settings let a broken template through')
  return new InjectingPublisher({
    plan,
    log,
    template,
    injector: createInjector(settings, { runId: plan.runId, tls: readTlsMaterial(settings), nowUs }),
    nowUs,
    clockBoundUs: clock.boundUs,
    makeAlarm: (ring) => health.watched(new PreciseAlarm(ring)),
    health: () => health.read(),
    notice: (text, level) => tell({ kind: 'notice', text, level }),
    lost: (error) => tell({ kind: 'lost', error: toWire(error) }),
  })
}

assert(parentPort !== null, 'the publisher runs on a worker thread')
const port = parentPort
const thread = new PublisherThread(workerData as PublisherThreadData, (message) => port.postMessage(message))
port.on('message', (message: ToPublisher) => thread.hear(message))
