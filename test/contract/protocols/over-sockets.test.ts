/** The behaviours that need a socket, for every dialect that PROTOCOL names: what a real client books of what a real target says. */
import assert from 'node:assert/strict'
import { afterEach, describe, test } from 'node:test'
import { LocalPorts, USUAL_LOCAL_PORTS } from '../../../src/clients/dialing/local-ports.ts'
import { Receiver } from '../../../src/clients/receiver.ts'
import { loadSettings } from '../../../src/config/load.ts'
import { makePlan } from '../../../src/config/plan.ts'
import { Books } from '../../../src/measure/books.ts'
import { RunClock } from '../../../src/measure/clock.ts'
import type { Snapshot } from '../../../src/measure/snapshot.ts'
import { emptySnapshot, mergeSnapshots } from '../../../src/measure/snapshot-merge.ts'
import { ThreadWatch } from '../../../src/measure/thread-watch.ts'
import { anchorRunClock } from '../../../src/measure/wall-clock.ts'
import { writeToken } from '../../../src/probe/codec.ts'
import { DialectTarget } from '../../doubles/dialect-target.ts'
import { eventually } from '../../doubles/eventually.ts'
import { type Dialect, dialects, type Said } from './dialects.ts'

const RUN_ID = 'k3v9q2x1'
const GARBAGE: Said = { bytes: Buffer.from([0xff, 0xff, 0x3f]), isBinary: true }

/** One client, and what its books hold so far. */
class OneClient {
  readonly clock: RunClock
  readonly #books: Books
  readonly #receiver: Receiver
  #total = emptySnapshot()

  constructor(dialect: Dialect, wsAddr: string, more: Readonly<Record<string, string>>) {
    const { settings } = loadSettings({
      env: { RUN_ID, WS_ADDR: wsAddr, WS_POOL_SIZE: '1', STREAM: dialect.stream, ...dialect.env, ...more },
    })
    const anchor = anchorRunClock()
    const plan = makePlan(settings, anchor)
    this.clock = new RunClock(plan.runClockOffsetUs)
    const parts = { clock: this.clock, replica: 0, thread: 0, role: 'crowd' as const }
    this.#books = new Books({
      ...parts,
      clients: [0],
      targetOf: [0],
      streamsOf: () => [0],
      sequenceLimit: undefined,
      ledgerMemoryMb: 1,
      expectsResends: false,
      watch: new ThreadWatch(parts),
    })
    const share = { thread: 0, role: 'crowd' as const, clients: [0] }
    this.#receiver = new Receiver({
      plan,
      share,
      books: this.#books,
      clock: this.clock,
      ports: new LocalPorts(USUAL_LOCAL_PORTS, Math.random()),
    })
  }

  connect(): Promise<void> {
    return this.#receiver.connect({ startUs: this.clock.nowUs(), ratePerSecond: 1_000, concurrency: 1, firstClient: 0 })
  }

  until(fact: (snapshot: Snapshot) => boolean, what: string): Promise<Snapshot> {
    return eventually(() => {
      this.#total = mergeSnapshots(this.#total, this.#books.takeSnapshot())
      return fact(this.#total) && this.#total
    }, what)
  }

  /** WebSocket frames read so far. */
  get frames(): number {
    return this.#receiver.engine.frames
  }

  close(): Promise<void> {
    return this.#receiver.close()
  }
}

for (const dialect of dialects.filter(({ env }) => env.PROTOCOL !== undefined)) {
  describe(`a client of the dialect ${dialect.title}`, () => {
    let target: DialectTarget
    let client: OneClient

    afterEach(async () => {
      await client.close()
      await target.stop()
    })

    const meet = async (answers: readonly Said[], more: Readonly<Record<string, string>> = {}) => {
      target = await DialectTarget.start(answers)
      client = new OneClient(dialect, target.url, more)
      await client.connect()
    }
    const isReady = ({ clients }: Snapshot) => clients.ready === 1
    const hasFailed = ({ clients }: Snapshot) => clients.failed === 1

    test('is ready on the acknowledgement, and books what it hears then', async () => {
      await meet(dialect.welcome)
      await client.until(isReady, 'the client is ready')
      const nowUs = Math.ceil(client.clock.nowUs())
      target.say(dialect.push(writeToken({ run: RUN_ID, stream: 0, sequence: 0, intendedUs: nowUs, sentUs: nowUs })))
      const { measured, errorsByCode } = await client.until(({ measured }) => measured.delivered === 1, 'the probe is booked')
      assert.deepEqual([measured.unexpected, measured.early, errorsByCode], [0, 0, {}])
    })

    if (dialect.isStrict) {
      test('hears a packet that comes in two messages', async () => {
        await meet(dialect.welcome)
        await client.until(isReady, 'the client is ready')
        const nowUs = Math.ceil(client.clock.nowUs())
        const { bytes, isBinary } = dialect.push(writeToken({ run: RUN_ID, stream: 0, sequence: 0, intendedUs: nowUs, sentUs: nowUs }))
        // In the middle of the token, and the rest only when the first part has been read.
        target.say({ bytes: bytes.subarray(0, bytes.length - 30), isBinary })
        await eventually(() => client.frames > dialect.welcome.length, 'the first part is read')
        target.say({ bytes: bytes.subarray(bytes.length - 30), isBinary })
        await client.until(({ measured }) => measured.delivered === 1, 'the probe is booked')
      })
    }

    test('is given up when the acknowledgement does not come', async () => {
      await meet(dialect.welcome.slice(0, -1), { READY_TIMEOUT_MS: '100' })
      const { errorsByCode } = await client.until(hasFailed, 'the client is given up')
      assert.deepEqual(errorsByCode, { 'ready-timeout': 1 })
    })

    if (dialect.refusal !== undefined) {
      const { said, text } = dialect.refusal
      test('that is refused fails by that name, in the words of the target', async () => {
        await meet(said)
        const { errorsByCode, errorTexts } = await client.until(hasFailed, 'the client has failed')
        assert.deepEqual(errorsByCode, { 'subscription-refused': 1 })
        assert.match(errorTexts['subscription-refused'] ?? '', text)
      })
    }

    test('whose target closes in place of an answer fails by the name of what that means', async () => {
      await meet([])
      await eventually(() => target.clients === 1, 'the client is there')
      target.closeClients(1002, 'nope')
      const { errorsByCode, endings } = await client.until(hasFailed, 'the client has failed')
      assert.deepEqual(errorsByCode, { [dialect.closeMeans === undefined ? 'closed-by-target' : 'subscription-refused']: 1 })
      assert.deepEqual(endings, { 1002: 1 })
    })

    if (dialect.farewell !== undefined) {
      const { said, text } = dialect.farewell
      test('that is told goodbye ends by that name, in the words of the target', async () => {
        await meet(dialect.welcome)
        await client.until(isReady, 'the client is ready')
        target.say(said)
        const { errorsByCode, errorTexts } = await client.until(({ clients }) => clients.disconnected === 1, 'the client has ended')
        assert.deepEqual(errorsByCode, { 'ended-by-target': 1 })
        assert.match(errorTexts['ended-by-target'] ?? '', text)
      })
    }

    test('that is closed later is told by the close code', async () => {
      await meet(dialect.welcome)
      await client.until(isReady, 'the client is ready')
      target.closeClients(1001, 'going away')
      const { errorsByCode, endings } = await client.until(({ clients }) => clients.disconnected === 1, 'the client is disconnected')
      assert.deepEqual([errorsByCode, endings], [{ 'closed-by-target': 1 }, { 1001: 1 }])
    })

    test('that is closed and comes back begins a conversation of its own', async () => {
      await meet(dialect.welcome, { RECONNECT: 'on' })
      await client.until(isReady, 'the client is ready')
      target.closeClients(1001, 'going away')
      await client.until(({ clients }) => clients.reconnected === 1, 'the client is ready again')
      const nowUs = Math.ceil(client.clock.nowUs())
      target.say(dialect.push(writeToken({ run: RUN_ID, stream: 0, sequence: 0, intendedUs: nowUs, sentUs: nowUs })))
      await client.until(({ measured }) => measured.delivered === 1, 'a probe is booked')
    })

    test('meets garbage as its dialect says: strict ones end it, others count it', async () => {
      await meet(dialect.welcome)
      await client.until(isReady, 'the client is ready')
      target.say(GARBAGE)
      if (dialect.isStrict) {
        const { errorsByCode } = await client.until(({ clients }) => clients.disconnected === 1, 'the client has ended')
        assert.deepEqual(errorsByCode, { 'protocol-error': 1 })
      } else {
        const { clients } = await client.until(({ otherFrames }) => otherFrames.other === 1, 'the frame is counted')
        assert.equal(clients.connected, 1)
      }
    })

    if (dialect.beats) {
      test('beats while it is ready', async () => {
        await meet(dialect.welcome, { PROTOCOL_KEEPALIVE_S: '1' })
        await client.until(isReady, 'the client is ready')
        const saidBefore = target.heard.length
        await eventually(() => target.heard.length > saidBefore, 'a heartbeat was heard')
      })
    }
  })
}
