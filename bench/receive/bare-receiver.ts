/**
 * Receivers to compare with, in a process of their own: PORT CLIENTS PROBES MODE. Prints one JSON line when every client has heard
 * every probe: deliveries, CPU from the last open client on, frames per read where it is known.
 *
 *   ws-json   the `ws` client and JSON.parse, as most tools are built      ws-count  the `ws` client, bytes counted
 *   count     the fast engine, tokens found and counted, no books          books     the fast engine and full books
 */
import WebSocket from 'ws'
import type { EngineListener } from '../../src/clients/engine.ts'
import { FastEngine } from '../../src/clients/engines/fast-engine.ts'
import { Deliveries } from '../../src/clients/receive.ts'
import { Books } from '../../src/measure/books.ts'
import { RunClock } from '../../src/measure/clock.ts'
import { ThreadWatch } from '../../src/measure/thread-watch.ts'
import { anchorRunClock } from '../../src/measure/wall-clock.ts'
import { TokenReader } from '../../src/probe/codec.ts'
import { MS_PER_SECOND, usToSeconds } from '../../src/units.ts'
import { RUN_ID, STREAM } from './broadcaster.ts'

const [portText, clientsText, probesText, mode] = process.argv.slice(2)
const port = Number(portText)
const clients = Number(clientsText)
const probes = Number(probesText)
/** Handshakes in flight. */
const CONCURRENCY = 200
const MAX_FRAME_BYTES = 1_048_576

let open = 0
let dialed = 0
let delivered = 0
let cpuAtStart = process.cpuUsage()
let dial: () => void = () => undefined
let framesPerRead: () => number | undefined = () => undefined

function opened(): void {
  open += 1
  if (open === clients) cpuAtStart = process.cpuUsage()
  fill()
}

function fill(): void {
  while (dialed < clients && dialed - open < CONCURRENCY) {
    dialed += 1
    dial()
  }
}

function heard(): void {
  delivered += 1
  if (delivered === clients * probes) finish()
}

function finish(): void {
  const { user, system } = process.cpuUsage(cpuAtStart)
  console.log(JSON.stringify({ deliveries: delivered, cpuSeconds: usToSeconds(user + system), framesPerRead: framesPerRead() }))
  process.exit(0)
}

function useWs(): void {
  let sumMs = 0
  dial = () => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/?stream=${STREAM}`, { perMessageDeflate: false })
    socket.on('open', opened).on('error', () => undefined)
    socket.on('message', (data: Buffer) => {
      if (data.length < 70) return
      if (mode === 'ws-json') {
        const { time } = JSON.parse(data.toString())[STREAM] as { time: number }
        sumMs += Date.now() - time
      } else sumMs += data.length
      heard()
    })
  }
  process.on('exit', () => void sumMs)
}

function useFastEngine(): void {
  const clock = new RunClock(anchorRunClock().runClockOffsetUs)
  const token = new TokenReader(RUN_ID)
  const slots = Array.from({ length: clients }, (_, slot) => slot)
  const watch = new ThreadWatch({ clock, replica: 0, thread: 0, role: 'crowd', traffic: () => engine })
  const books = new Books({
    clock,
    replica: 0,
    thread: 0,
    role: 'crowd',
    clients: slots,
    targetOf: slots.map(() => 0),
    streamsOf: () => [0],
    sequenceLimit: probes,
    ledgerMemoryMb: 256,
    expectsResends: false,
    watch,
  })
  const deliveries = new Deliveries(books, token, clients)
  const withBooks: EngineListener['onMessage'] = (slot, data, start, end, _isBinary, receivedUs) => {
    if (deliveries.book(slot, data, start, end, receivedUs, false)) heard()
  }
  const countOnly: EngineListener['onMessage'] = (_slot, data, start, end) => {
    if (token.findToken(data, start, end) >= 0) heard()
  }
  const engine = new FastEngine(
    {
      onOpen: (slot) => {
        books.opened(slot, clock.nowUs(), '127.0.0.1', 1)
        books.ready(slot, 0)
        opened()
      },
      onMessage: mode === 'books' ? withBooks : countOnly,
      onEnd: () => undefined,
    },
    { nowUs: () => clock.nowUs(), maxFrameBytes: MAX_FRAME_BYTES, tls: { rejectUnauthorized: true } },
  )
  framesPerRead = () => engine.frames / engine.reads
  dial = () => {
    const url = new URL(`ws://127.0.0.1:${port}/`)
    const slot = dialed - 1
    books.dialed(slot, clock.nowUs())
    engine.dial({
      slot,
      handshake: { url, requestTarget: `/?stream=${STREAM}`, headers: {}, subprotocols: [] },
      remoteAddress: '127.0.0.1',
      localAddress: undefined,
      localPort: undefined,
    })
  }
  if (mode === 'books') {
    watch.start()
    setInterval(() => books.takeSnapshot(), MS_PER_SECOND)
  }
}

if (mode?.startsWith('ws')) useWs()
else useFastEngine()
fill()
