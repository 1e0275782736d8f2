/**
 * The target's side of any dialect over a real socket, from a row of `test/contract/protocols/dialects.ts`: it answers what a
 * client says with the row's welcome, one message at a time, and otherwise does as it is told.
 */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Said } from '../contract/protocols/dialects.ts'

export class DialectTarget {
  /** What clients said, in order. */
  readonly heard: Buffer[] = []
  readonly #server: WebSocketServer
  readonly #clients: WebSocket[] = []

  /** @param answers to a client's messages, the first one unasked when there is only one */
  static async start(answers: readonly Said[]): Promise<DialectTarget> {
    const server = new WebSocketServer({ host: '127.0.0.1', port: 0, handleProtocols: (offered) => [...offered][0] ?? false })
    await once(server, 'listening')
    return new DialectTarget(server, answers)
  }

  private constructor(server: WebSocketServer, answers: readonly Said[]) {
    this.#server = server
    server.on('connection', (socket) => {
      const due = [...answers]
      const answer = () => {
        const said = due.shift()
        if (said !== undefined) socket.send(said.bytes, { binary: said.isBinary })
      }
      this.#clients.push(socket)
      socket.on('error', () => undefined)
      socket.on('message', (data) => {
        this.heard.push(data as Buffer)
        if (answers.length > 1) answer()
      })
      if (answers.length === 1) answer()
    })
  }

  get url(): string {
    return `ws://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`
  }

  say({ bytes, isBinary }: Said): void {
    for (const client of this.#clients) if (client.readyState === client.OPEN) client.send(bytes, { binary: isBinary })
  }

  closeClients(code: number, reason: string): void {
    for (const client of this.#clients) client.close(code, reason)
  }

  get clients(): number {
    return this.#clients.length
  }

  async stop(): Promise<void> {
    for (const client of this.#clients) client.terminate()
    this.#server.close()
    await once(this.#server, 'close')
  }
}
