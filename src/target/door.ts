/**
 * The WebSocket port: handshakes are answered, or refused, or answered wrongly when a habit says so; then the socket is handed
 * on and HTTP is forgotten.
 */
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { MS_PER_SECOND } from '../units.ts'
import type { Gate } from './gate.ts'
import type { HabitBook } from './habits/habit-book.ts'
import { acceptValue, httpAnswer, refusalStatus, switchingProtocols, uidOf } from './handshake.ts'
import { listenOn } from './listen.ts'
import { type RequestTarget, readRequestTarget } from './request-target.ts'
import type { Truth } from './truth.ts'

/** Connections that may wait to be accepted; the kernel caps it at net.core.somaxconn. */
const ACCEPT_BACKLOG = 4_096
/** A request line may name many streams; this is what Go's server, and so rango, allows. */
const MAX_HEADER_BYTES = 1_048_576
const STATUS_UNAVAILABLE = 503

export interface Guest {
  readonly number: number
  readonly remoteAddress: string
  readonly remotePort: number
  readonly uid: string | undefined
  readonly target: RequestTarget
  /** The answer that opens the WebSocket; whoever takes the guest writes it, with what comes first. */
  readonly answer: Buffer
  /** Bytes that came right behind the handshake. */
  readonly head: Buffer
}

export interface DoorParts {
  readonly book: HabitBook
  readonly gate: Gate
  readonly truth: Truth
  onGuest(socket: Socket, guest: Guest): void
}

export class Door {
  readonly #parts: DoorParts
  readonly #sockets = new Set<Duplex>()
  #server: Server | undefined
  #handshakes = 0
  #nextAnswerMs = 0

  constructor(parts: DoorParts) {
    this.#parts = parts
  }

  async open(host: string, port: number): Promise<AddressInfo> {
    const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES, noDelay: true, keepAlive: false })
    server.on('connection', (socket) => {
      this.#sockets.add(socket)
      socket.on('error', () => {}) // how a connection ends is told by its close event
      socket.once('close', () => this.#sockets.delete(socket))
    })
    server.on('request', (_request, response) => response.writeHead(400, { Connection: 'close' }).end('This port speaks WebSocket.\n'))
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => this.#knock(request, socket as Socket, head))
    this.#server = server
    return await listenOn(server, { host, port, backlog: ACCEPT_BACKLOG })
  }

  /** Stops listening and ends whatever is still open. */
  async close(): Promise<void> {
    const server = this.#server
    this.#server = undefined
    if (server === undefined) return
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    for (const socket of this.#sockets) socket.destroy()
    await closed
  }

  #knock(request: IncomingMessage, socket: Socket, head: Buffer): void {
    const number = this.#handshakes
    this.#handshakes += 1
    this.#parts.gate.pass(() => this.#inTurn(number, socket, () => this.#answer(number, request, socket, head)))
  }

  /** Lets handshakes through one by one when their rate is limited. */
  #inTurn(number: number, socket: Socket, answer: () => void): void {
    const perSecond = this.#parts.book.acceptsPerSecond()
    const nowMs = performance.now()
    const turnMs = perSecond === undefined ? nowMs : Math.max(nowMs, this.#nextAnswerMs)
    if (perSecond !== undefined) this.#nextAnswerMs = turnMs + MS_PER_SECOND / perSecond
    if (turnMs === nowMs) answer()
    else {
      this.#parts.truth.note('accept-rate', whoIs(number, socket), { waitedMs: turnMs - nowMs })
      setTimeout(answer, turnMs - nowMs).unref()
    }
  }

  #answer(number: number, request: IncomingMessage, socket: Socket, head: Buffer): void {
    // Whoever left while it waited for its turn must not be let in: its end was told already, and is not told again.
    if (socket.destroyed || socket.readableEnded) {
      socket.destroy()
      return
    }
    const { truth } = this.#parts
    const who = whoIs(number, socket)
    const habit = this.#parts.book.handshakeHabit(number)
    const target = readRequestTarget(request.url ?? '/')
    const { path } = target
    if (habit?.kind === 'silent') {
      truth.note('silent', who, { path })
      socket.resume().once('end', () => socket.end()) // silent, not deaf: who gives up is let go
      return
    }
    const ownStatus = habit?.kind === 'status' ? (habit.status ?? STATUS_UNAVAILABLE) : undefined
    if (ownStatus !== undefined) truth.note('status', who, { path, status: ownStatus })
    const status = ownStatus ?? refusalStatus(path, request.headers)
    if (status !== undefined) {
      socket.write(httpAnswer(status))
      socket.destroySoon()
      return
    }
    const key = request.headers['sec-websocket-key'] as string
    if (habit?.kind === 'bad-accept') truth.note('bad-accept', who, { path })
    const answer = switchingProtocols(acceptValue(habit?.kind === 'bad-accept' ? `${key}?` : key))
    const { client, ...where } = who
    this.#parts.onGuest(socket, { number: client, ...where, uid: uidOf(request.headers), target, answer: Buffer.from(answer), head })
  }
}

const IPV4_IN_IPV6 = /^::ffff:(?=\d+\.)/

const whoIs = (client: number, socket: Socket) => ({
  client,
  remoteAddress: (socket.remoteAddress ?? '').replace(IPV4_IN_IPV6, ''),
  remotePort: socket.remotePort ?? 0,
})
