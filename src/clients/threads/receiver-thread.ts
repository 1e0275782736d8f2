/**
 * The entry of a receiver thread: builds one thread's parts, obeys the main thread's commands and hands over a snapshot a
 * second. An exception here is a fault of ours: it ends the thread, and the main thread books what that took along.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { streamsOfClient } from '../../config/plan.ts'
import { assert } from '../../errors.ts'
import { Books } from '../../measure/books.ts'
import { RunClock } from '../../measure/clock.ts'
import type { HeardProbes } from '../../measure/owed.ts'
import { SteeredClock } from '../../measure/steered-clock.ts'
import { ThreadWatch } from '../../measure/thread-watch.ts'
import { MS_PER_SECOND } from '../../units.ts'
import { dialPacing, targetOfClient } from '../dialing/dial-pacing.ts'
import { LocalPorts } from '../dialing/local-ports.ts'
import { Receiver } from '../receiver.ts'
import type { ThreadBirth, ThreadCommand, ThreadQuestion, ThreadReport } from './thread-messages.ts'

const HANDOVER_EVERY_MS = MS_PER_SECOND
const NOTHING_HEARD: HeardProbes = []

const port = parentPort
assert(port !== null, 'receiver-thread.ts is the entry of a worker thread')
const birth = workerData as ThreadBirth
const { plan, roster, share } = birth
const { settings } = plan

const ownClock = new RunClock(plan.runClockOffsetUs)
const clock = birth.clockCorrectionUs === undefined ? ownClock : new SteeredClock(ownClock, birth.clockCorrectionUs)
const watch = new ThreadWatch({ clock, replica: plan.replica, thread: share.thread, role: share.role, traffic: () => receiver.engine })
const books = new Books({
  clock,
  replica: plan.replica,
  thread: share.thread,
  role: share.role,
  clients: share.clients,
  targetOf: share.clients.map((client) => targetOfClient(client, settings.wsAddr.length)),
  streamsOf: (slot) => streamsOfClient(plan, share.clients[slot]!).map(({ index }) => index),
  sequenceLimit: plan.publish.countPerStream,
  ledgerMemoryMb: (settings.ledgerMemoryMb * share.clients.length) / roster.clients,
  expectsResends: settings.resend,
  watch,
})
const receiver = new Receiver({ plan, share, books, clock, ports: new LocalPorts(birth.ports, Math.random()) })

const report = (message: ThreadReport): void => port.postMessage(message)

port.on('message', (command: ThreadCommand) => {
  switch (command.kind) {
    case 'connect':
      void receiver.connect(
        dialPacing({
          startUs: command.startUs,
          connectRate: settings.connectRate,
          connectConcurrency: settings.connectConcurrency,
          roster: plan.roster,
          share: roster,
          threadClients: share.clients.length,
        }),
      )
      break
    case 'stop-connecting':
      receiver.stopConnecting()
      break
    default:
      void answer(command)
  }
})
watch.start()
const handover = setInterval(() => report({ kind: 'snapshot', snapshot: books.takeSnapshot() }), HANDOVER_EVERY_MS)
report({ kind: 'started', snapshot: books.takeSnapshot() })

async function answer(question: ThreadQuestion): Promise<void> {
  const heard = question.kind === 'hear' ? books.heard(question.log) : NOTHING_HEARD
  if (question.kind === 'expect') books.expect(question.log, question.heard)
  if (question.kind === 'settle') books.settle(question.log, question.drainEndedUs, question.heard)
  if (question.kind === 'close') {
    await receiver.close()
    books.close()
  }
  report({ kind: 'answer', request: question.request, snapshot: books.takeSnapshot(), heard })
  if (question.kind === 'close') leave()
}

/** Nothing keeps the thread alive any more. */
function leave(): void {
  clearInterval(handover)
  watch.stop()
  port!.close()
}
