/**
 * What booking one delivery costs: reading its token, and the full books, in CPU time of this thread. The shapes are those of
 * docs/performance.md: one probe per read to many clients, and twenty per read to fewer. The best of several rounds is told, since
 * everything else on the machine only adds.
 */
import { Books } from '../src/measure/books.ts'
import { Histogram } from '../src/measure/histogram.ts'
import { ThreadWatch } from '../src/measure/thread-watch.ts'
import { TokenReader, writeToken } from '../src/probe/codec.ts'
import { TOKEN_BYTES } from '../src/probe/probe.ts'
import { NS_PER_US } from '../src/units.ts'

const RUN = 'k3v9q2x1'
const PROBES = 1_000
const ROUNDS = 5
const START_US = 1_760_000_000_000_000
const SHAPES = [
  { clients: 5_000, perRead: 1 },
  { clients: 2_000, perRead: 20 },
]

const clock = { nowUs: () => START_US, boundUs: 1 }
const stamps = Array.from({ length: PROBES }, (_, sequence) => {
  const intendedUs = START_US + sequence * 30_000
  return { run: RUN, stream: 0, sequence, intendedUs, sentUs: intendedUs + 50 }
})
const tokens = Buffer.from(stamps.map(writeToken).join(''))

function readyBooks(clients: number): Books {
  const slots = Array.from({ length: clients }, (_, slot) => slot)
  const books = new Books({
    clock,
    replica: 0,
    thread: 0,
    role: 'crowd',
    clients: slots,
    targetOf: slots.map(() => 0),
    streamsOf: () => [0],
    sequenceLimit: PROBES,
    ledgerMemoryMb: 64,
    expectsResends: false,
    watch: new ThreadWatch({ clock, replica: 0, thread: 0, role: 'crowd' }),
  })
  for (const slot of slots) {
    books.dialed(slot, START_US)
    books.opened(slot, START_US, '127.0.0.1', 1)
    books.ready(slot, START_US)
  }
  return books
}

/** Every client hears every probe; `books` undefined: tokens are read and nothing is booked. */
function deliver(reader: TokenReader, books: Books | undefined, shape: { clients: number; perRead: number }): number {
  let receivedUs = START_US + PROBES * 30_000
  let deliveries = 0
  for (let first = 0; first < PROBES; first += shape.perRead) {
    for (let slot = 0; slot < shape.clients; slot++) {
      receivedUs += 3
      for (let sequence = first; sequence < first + shape.perRead; sequence++) {
        if (!reader.read(tokens, sequence * TOKEN_BYTES, tokens.length)) throw new Error('a token was not read')
        books?.delivery(slot, reader, receivedUs, false)
        deliveries++
      }
    }
  }
  return deliveries
}

/** Nanoseconds of CPU per item, the best round. */
function bestNs(work: () => number): number {
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < ROUNDS; round++) {
    const before = process.cpuUsage()
    const items = work()
    const { user, system } = process.cpuUsage(before)
    best = Math.min(best, ((user + system) * NS_PER_US) / items)
  }
  return best
}

// Latencies of 1 ms to 0.3 s in no order.
const latencies = Float64Array.from({ length: 65_536 }, (_, n) => 1_000 + ((n * 7_919) % 300_000))
const histogram = new Histogram()
const recordNs = bestNs(() => {
  for (let n = 0; n < 5_000_000; n++) histogram.record(latencies[n & 65_535]!)
  return 5_000_000
})
console.log(`histogram: ${recordNs.toFixed(1)} ns a record (${histogram.count} recorded)`)

const reader = new TokenReader(RUN)
for (const shape of SHAPES) {
  const tokenNs = bestNs(() => deliver(reader, undefined, shape))
  let delivered = 0
  const allNs = bestNs(() => {
    const books = readyBooks(shape.clients)
    const deliveries = deliver(reader, books, shape)
    delivered = books.takeSnapshot().measured.delivered
    return deliveries
  })
  const name = `${shape.perRead} a read, ${shape.clients} clients`
  console.log(`${name}: token ${tokenNs.toFixed(1)} ns, books ${(allNs - tokenNs).toFixed(1)} ns a delivery (${delivered} delivered)`)
}
