/** The crowd as the run sees it: real threads, real sockets, and a target that does as it is told. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { after, describe, it } from 'node:test'
import type { Worker } from 'node:worker_threads'
import type { Crowd } from '../../../../src/clients/crowd.ts'
import { startThreadCrowd, type ThreadCrowdOptions } from '../../../../src/clients/threads/thread-crowd.ts'
import { loadSettings } from '../../../../src/config/load.ts'
import { makePlan, type Plan } from '../../../../src/config/plan.ts'
import { monotonicUs, RunClock, systemClocks } from '../../../../src/measure/clock.ts'
import { ProbeState, type PublisherLog } from '../../../../src/measure/publisher-log.ts'
import type { Snapshot } from '../../../../src/measure/snapshot.ts'
import { writeToken } from '../../../../src/probe/codec.ts'
import { PushTarget, type PushTargetHabits } from '../../../doubles/push-target.ts'
import { startRawTarget } from '../../../doubles/raw-target.ts'

const RUN_ID = 'k3v9q2x1'
/** Wall time and the monotonic clock need no common anchor here: publisher and receivers are on one machine. */
const RUN_CLOCK_OFFSET_US = Date.now() * 1_000 - monotonicUs(systemClocks)
const clock = new RunClock(RUN_CLOCK_OFFSET_US)

function planOf(env: Record<string, string>): Plan {
  const { settings } = loadSettings({ env: { RUN_ID, THREADS: '2', CONNECT_RATE: '100000', ...env } })
  return makePlan(settings, { runClockOffsetUs: RUN_CLOCK_OFFSET_US })
}

const crowds: Crowd[] = []
after(() => Promise.all(crowds.map((crowd) => crowd.close())))

async function crowdOf(env: Record<string, string>, options: Partial<ThreadCrowdOptions> = {}): Promise<Crowd> {
  const plan = planOf(env)
  const crowd = await startThreadCrowd(plan, { share: plan.roster, threads: plan.settings.threads ?? 1, localPorts: undefined, ...options })
  crowds.push(crowd)
  return crowd
}

/** Asks the crowd until `fact` holds. */
async function until(crowd: Crowd, fact: (snapshot: Snapshot) => boolean, what: string): Promise<Snapshot> {
  const deadline = Date.now() + 60_000
  for (;;) {
    const snapshot = await crowd.refresh()
    if (fact(snapshot)) return snapshot
    if (Date.now() > deadline)
      assert.fail(`waited in vain until ${what}: ${JSON.stringify(snapshot.clients)} ${JSON.stringify(snapshot.measured)}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

const settled = ({ clients }: Snapshot): boolean => clients.ready + clients.failed === clients.wanted

async function withTarget(habits: PushTargetHabits, act: (target: PushTarget) => Promise<void>): Promise<void> {
  const target = await PushTarget.start(habits)
  try {
    await act(target)
  } finally {
    await target.close()
  }
}

/** Pushes probes and keeps the log a publisher would. */
class Publisher {
  readonly log: PublisherLog
  readonly #target: PushTarget
  #next = 0

  constructor(target: PushTarget, count: number) {
    this.#target = target
    const sentUs = new Float64Array(new SharedArrayBuffer(count * 8))
    const states = new Uint8Array(new SharedArrayBuffer(count))
    this.log = { streams: [{ stream: 0, count, sentUs, states }] }
  }

  publish(probes: number, to?: Parameters<PushTarget['push']>[1]): void {
    const [stream] = this.log.streams
    for (let i = 0; i < probes; i++) {
      const sequence = this.#next++
      const nowUs = Math.floor(clock.nowUs())
      stream!.sentUs[sequence] = nowUs
      stream!.states[sequence] = ProbeState.confirmed
      this.#target.push(frameOf(sequence, nowUs), to)
    }
  }
}

const frameOf = (sequence: number, sentUs: number, run = RUN_ID): string =>
  JSON.stringify({
    [`public.${RUN_ID}`]: { cmd: 'Test', probe: writeToken({ run, stream: 0, sequence, intendedUs: sentUs, sentUs }), time: 1 },
  })

describe('a crowd on threads', () => {
  it('books every delivery of every client, and the total balances', async () => {
    await withTarget({}, async (target) => {
      const crowd = await crowdOf({ WS_ADDR: target.url, WS_POOL_SIZE: '30' })
      assert.equal(crowd.snapshot().clients.wanted, 30)
      crowd.connect()
      const ready = await until(crowd, settled, 'all are ready')
      assert.deepEqual([ready.clients.opened, ready.clients.ready, ready.clients.failed, ready.clients.connected], [30, 30, 0, 30])
      assert.deepEqual(ready.otherFrames, { ack: 30 })
      assert.deepEqual(
        ready.readyClients.client,
        Array.from({ length: 30 }, (_, index) => index),
      )

      const publisher = new Publisher(target, 40)
      publisher.publish(40)
      target.push(frameOf(0, 1, 'another1'))
      target.push('{"global.tickers":{}}')
      await until(crowd, ({ otherFrames }) => otherFrames['other-stream'] === 30, 'the last frame was heard')
      const expected = await crowd.expect(publisher.log)
      assert.deepEqual(pick(expected.measured, 'expected', 'delivered', 'missed', 'foreign'), {
        expected: 1_200,
        delivered: 1_200,
        missed: 0,
        foreign: 30,
      })
      const books = await crowd.settle(publisher.log, clock.nowUs())
      assert.deepEqual(pick(books.measured, 'expected', 'delivered', 'missed', 'lost', 'unaccounted'), {
        expected: 1_200,
        delivered: 1_200,
        missed: 0,
        lost: 0,
        unaccounted: 0,
      })
      assert.equal(books.latencyUs.count, 1_200)
      assert.deepEqual(books.fanout.count.length, 40)
      assert.ok([...books.fanout.count].every((count) => count === 30))

      const last = await crowd.close()
      assert.equal(last.clients.connected, 0)
      assert.equal(last.clients.disconnected, 0)
      assert.ok(target.clients.every(({ closeCode }) => closeCode === 1000))
      assert.equal(await crowd.close(), last)
      assert.deepEqual(crowd.died, [])
    })
  })

  it('books what was withheld as lost, and what a cut client did not get as missed', async () => {
    await withTarget({}, async (target) => {
      const crowd = await crowdOf({ WS_ADDR: target.url, WS_POOL_SIZE: '10' })
      crowd.connect()
      await until(crowd, settled, 'all are ready')
      const publisher = new Publisher(target, 30)
      publisher.publish(10)
      const [cut, deprived] = target.clients
      cut!.socket.terminate()
      publisher.publish(10, (client) => client !== deprived)
      publisher.publish(10)
      await until(crowd, ({ measured, clients }) => measured.delivered === 270 && clients.disconnected === 1, 'everything has arrived')
      const { measured, errorsByCode, endings } = await crowd.settle(publisher.log, clock.nowUs())
      assert.deepEqual(pick(measured, 'expected', 'delivered', 'missed', 'lost'), { expected: 300, delivered: 270, missed: 20, lost: 10 })
      const { worstClients } = await crowd.close()
      assert.equal(worstClients[0]!.localPort, cut!.remotePort)
      assert.deepEqual([worstClients[1]!.localPort, worstClients[1]!.lost], [deprived!.remotePort, 10])
      assert.equal(
        Object.values(errorsByCode).reduce((sum, count) => sum + count, 0),
        1,
      )
      assert.deepEqual(endings, { 1006: 1 })
    })
  })

  it('keeps sentinels on a thread of their own', async () => {
    await withTarget({}, async (target) => {
      const crowd = await crowdOf({ WS_ADDR: target.url, WS_POOL_SIZE: '501', SENTINELS: '4' })
      crowd.connect()
      await until(crowd, ({ clients }) => clients.ready === 501, 'all are ready')
      const publisher = new Publisher(target, 3)
      publisher.publish(3)
      const snapshot = await until(crowd, ({ measured }) => measured.delivered === 1_503, 'everything has arrived')
      assert.equal(snapshot.sentinelLatencyUs.count, 12)
      assert.deepEqual(
        snapshot.threads.map(({ thread, role }) => [thread, role]),
        [
          [0, 'crowd'],
          [1, 'crowd'],
          [2, 'sentinels'],
        ],
      )
    })
  })

  it('deals clients out to targets in turn and keeps their figures apart', async () => {
    await withTarget({}, async (first) => {
      await withTarget({ refuses: (index) => index % 2 === 1 }, async (second) => {
        const crowd = await crowdOf({ WS_ADDR: `${first.url},${second.url}`, WS_POOL_SIZE: '20' })
        crowd.connect()
        const { clients, targets, errorsByCode, endings } = await until(crowd, settled, 'all are settled')
        assert.deepEqual(pick(clients, 'opened', 'ready', 'failed'), { opened: 15, ready: 15, failed: 5 })
        assert.deepEqual(
          targets.map((target) => pick(target, 'target', 'ready', 'failed')),
          [
            { target: 0, ready: 10, failed: 0 },
            { target: 1, ready: 5, failed: 5 },
          ],
        )
        assert.deepEqual([errorsByCode, endings], [{ 'http-status': 5 }, { 'http 503': 5 }])
      })
    })
  })

  it('dials from all source addresses evenly, with ports of its own choosing', async () => {
    await withTarget({}, async (target) => {
      // The kernel never hands these out by itself.
      const localPorts = { first: 20_000, last: 20_999 }
      const crowd = await crowdOf({ WS_ADDR: target.url, WS_POOL_SIZE: '30', SOURCE_ADDRESSES: '127.0.0.2-127.0.0.4' }, { localPorts })
      crowd.connect()
      await until(crowd, ({ clients }) => clients.ready === 30, 'all are ready')
      for (const address of ['127.0.0.2', '127.0.0.3', '127.0.0.4']) {
        const ports = target.clients.filter(({ remoteAddress }) => remoteAddress === address).map(({ remotePort }) => remotePort)
        assert.equal(ports.length, 10)
        assert.ok(ports.every((port) => port >= 20_000 && port <= 20_999))
      }
    })
  })

  it('tries another local port when one is busy, and only then', async () => {
    await withTarget({}, async (target) => {
      const busy = createServer().listen(0, '127.0.0.5')
      await once(busy, 'listening')
      const { port } = busy.address() as AddressInfo
      const localPorts = { first: port - 1, last: port + 1 }
      const env = { WS_ADDR: target.url, SOURCE_ADDRESSES: '127.0.0.5', THREADS: '1' }
      const enough = await crowdOf({ ...env, WS_POOL_SIZE: '2' }, { localPorts })
      enough.connect()
      const { clients } = await until(enough, settled, 'all are settled')
      assert.deepEqual(pick(clients, 'ready', 'failed'), { ready: 2, failed: 0 })
      const tooFew = await crowdOf({ ...env, WS_POOL_SIZE: '1' }, { localPorts })
      tooFew.connect()
      const { errorsByCode, portRetries } = await until(tooFew, settled, 'it is settled')
      assert.deepEqual([errorsByCode, portRetries], [{ 'no-ports': 1 }, 2])
      busy.close()
    })
  })

  it('has clients come back with RECONNECT=on, and what they did not get meanwhile is missed', async () => {
    await withTarget({}, async (target) => {
      const crowd = await crowdOf({ WS_ADDR: target.url, WS_POOL_SIZE: '6', RECONNECT: 'on' })
      crowd.connect()
      await until(crowd, settled, 'all are ready')
      const publisher = new Publisher(target, 30)
      publisher.publish(10)
      await until(crowd, ({ measured }) => measured.delivered === 60, 'the first ten have arrived')
      const cut = target.clients.slice(0, 2)
      for (const { socket } of cut) socket.terminate()
      publisher.publish(10, (client) => !cut.includes(client))
      await until(crowd, ({ clients }) => clients.reconnected === 2, 'both are back')
      publisher.publish(10)
      await until(crowd, ({ measured }) => measured.delivered === 160, 'everything has arrived')
      const { measured, clients } = await crowd.settle(publisher.log, clock.nowUs())
      assert.deepEqual(pick(measured, 'expected', 'delivered', 'missed', 'lost'), { expected: 180, delivered: 160, missed: 20, lost: 0 })
      assert.deepEqual(pick(clients, 'ready', 'connected', 'disconnected', 'failed'), {
        ready: 6,
        connected: 6,
        disconnected: 2,
        failed: 0,
      })
    })
  })

  it('books what a thread took along when it died as unaccounted', async () => {
    await withTarget({}, async (target) => {
      const workers: Worker[] = []
      const remember = (worker: Worker) => workers.push(worker)
      process.on('worker', remember)
      const crowd = await crowdOf({ WS_ADDR: target.url, WS_POOL_SIZE: '10' })
      process.off('worker', remember)
      crowd.connect()
      await until(crowd, settled, 'all are ready')
      const publisher = new Publisher(target, 20)
      publisher.publish(10)
      await until(crowd, ({ measured }) => measured.delivered === 100, 'the first ten have arrived')
      await workers[1]!.terminate()
      publisher.publish(10)
      await until(crowd, ({ measured }) => measured.delivered === 150, 'the rest has arrived')
      for (const books of [await crowd.expect(publisher.log), await crowd.settle(publisher.log, clock.nowUs())]) {
        assert.deepEqual(pick(books.measured, 'expected', 'delivered', 'missed', 'lost', 'unaccounted'), {
          expected: 200,
          delivered: 150,
          missed: 0,
          lost: 0,
          unaccounted: 50,
        })
        assert.deepEqual(pick(books.clients, 'ready', 'connected', 'disconnected'), { ready: 10, connected: 5, disconnected: 0 })
      }
      assert.equal(crowd.died.length, 1)
      assert.match(crowd.died[0]!, /^Receiver thread 1 with 5 clients died: /)
    })
  })
})

describe('clients that do not become ready', () => {
  async function errorsOf(env: Record<string, string>): Promise<Partial<Record<string, number>>> {
    const crowd = await crowdOf({ WS_POOL_SIZE: '6', ...env })
    crowd.connect()
    const { clients, errorsByCode } = await until(crowd, settled, 'all are settled')
    assert.deepEqual(pick(clients, 'ready', 'failed', 'connected'), { ready: 0, failed: 6, connected: 0 })
    return errorsByCode
  }

  it('are refused where nobody listens', async () => {
    const target = await startRawTarget(() => undefined)
    await target.close()
    assert.deepEqual(await errorsOf({ WS_ADDR: target.url }), { refused: 6 })
  })

  it('have no address when the name is unknown', async () => {
    assert.deepEqual(await errorsOf({ WS_ADDR: 'ws://no-such-host.invalid/' }), { dns: 6 })
  })

  it('wait CONNECT_TIMEOUT_MS for a target that accepts and stays silent', async () => {
    const target = await startRawTarget(() => undefined)
    assert.deepEqual(await errorsOf({ WS_ADDR: target.url, CONNECT_TIMEOUT_MS: '200', CONNECT_CONCURRENCY: '2' }), {
      'handshake-timeout': 6,
    })
    await target.close()
  })

  it('wait READY_TIMEOUT_MS for an acknowledgement', async () => {
    await withTarget({ answer: () => undefined }, async ({ url }) => {
      assert.deepEqual(await errorsOf({ WS_ADDR: url, READY_TIMEOUT_MS: '200' }), { 'ready-timeout': 6 })
    })
  })

  it('are told when the target refuses the subscription', async () => {
    const answer = (streams: readonly string[]) => JSON.stringify({ success: { message: `cannot subscribe to ${streams[0]}` } })
    await withTarget({ answer }, async ({ url }) => {
      assert.deepEqual(await errorsOf({ WS_ADDR: url }), { 'subscription-refused': 6 })
    })
  })

  it('are not dialed any more once dialing was stopped', async () => {
    await withTarget({}, async (target) => {
      const crowd = await crowdOf({ WS_ADDR: target.url, WS_POOL_SIZE: '1000', CONNECT_RATE: '1' })
      crowd.connect()
      await until(crowd, ({ clients }) => clients.ready >= 1, 'the first is ready')
      crowd.stopConnecting()
      const { clients } = await crowd.close()
      assert.ok(clients.opened < 1_000)
      assert.equal(target.clients.length, clients.opened)
    })
  })
})

it('threads that end while the main thread is held up have not died', async () => {
  const crowd = await crowdOf({ WS_ADDR: 'ws://127.0.0.1:9/', WS_POOL_SIZE: '4' })
  const closing = crowd.close()
  await new Promise((resolve) => setImmediate(resolve))
  // The threads have nobody to say goodbye to: their last words and their end arrive together.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000)
  await closing
  assert.deepEqual(crowd.died, [])
})

describe('a crowd that cannot begin', () => {
  it('says which setting makes no sense before any thread starts', async () => {
    await assert.rejects(crowdOf({ PROTOCOL: 'plain', PLAIN_READY: '(' }), { code: 'settings-invalid' })
    await assert.rejects(crowdOf({ STREAM: 'a,b' }), { code: 'settings-invalid' })
    await assert.rejects(crowdOf({ TLS_CA: '/nowhere/ca.pem' }), { code: 'settings-invalid' })
  })
})

function pick<T, K extends keyof T>(from: T, ...keys: K[]): Pick<T, K> {
  return Object.fromEntries(keys.map((key) => [key, from[key]])) as Pick<T, K>
}
