/** A target on a real socket that acknowledges like rango and pushes what a test tells it to. */
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'

export interface PushClient {
  readonly socket: WebSocket
  readonly streams: readonly string[]
  readonly remoteAddress: string
  readonly remotePort: number
  /** Set when the connection has ended. */
  closeCode?: number
}

export interface PushTargetHabits {
  /** What answers a subscription instead of the acknowledgement; undefined: nothing does. */
  readonly answer?: (streams: readonly string[]) => string | undefined
  /** Refuses the n-th handshake (from 0) with HTTP 503. */
  readonly refuses?: (index: number) => boolean
}

const acknowledge = (streams: readonly string[]): string => JSON.stringify({ success: { message: 'subscribed', streams } })

export class PushTarget {
  readonly clients: PushClient[] = []
  readonly #server: WebSocketServer

  static async start({ answer = acknowledge, refuses = () => false }: PushTargetHabits = {}): Promise<PushTarget> {
    let handshakes = 0
    const verifyClient = (_info: unknown, decide: (ok: boolean, status?: number) => void) => decide(!refuses(handshakes++), 503)
    const server = new WebSocketServer({ host: '127.0.0.1', port: 0, verifyClient, backlog: 4_096 })
    await once(server, 'listening')
    return new PushTarget(server, answer)
  }

  private constructor(server: WebSocketServer, answer: (streams: readonly string[]) => string | undefined) {
    this.#server = server
    server.on('connection', (socket, request) => {
      const client: PushClient = { socket, ...addressOf(request), streams: streamsOf(request.url ?? '') }
      this.clients.push(client)
      socket.on('close', (code) => {
        client.closeCode = code
      })
      socket.on('error', () => undefined)
      const text = answer(client.streams)
      if (text !== undefined) socket.send(text)
    })
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  get url(): string {
    return `ws://127.0.0.1:${this.port}/`
  }

  /** Sends one frame to every open client, or to those that `to` picks. */
  push(frame: string, to: (client: PushClient) => boolean = () => true): void {
    for (const client of this.clients) if (client.socket.readyState === client.socket.OPEN && to(client)) client.socket.send(frame)
  }

  async close(): Promise<void> {
    for (const { socket } of this.clients) socket.terminate()
    this.#server.close()
    await once(this.#server, 'close')
  }
}

const addressOf = ({ socket }: IncomingMessage): Pick<PushClient, 'remoteAddress' | 'remotePort'> => ({
  remoteAddress: socket.remoteAddress ?? '',
  remotePort: socket.remotePort ?? 0,
})

const streamsOf = (url: string): string[] => /[?&]stream=([^&]*)/.exec(url)?.[1]?.split(',') ?? []
