/**
 * How connections end: by whom, with or without a close frame, in order or not. What the client had heard by then is with the
 * members and its account.
 */
import type { Socket } from 'node:net'
import type { EndingKind } from './account.ts'
import type { Client, Leaving } from './client.ts'
import { closeFrame } from './frame.ts'
import type { EndManner } from './habits/habit.ts'
import type { Members } from './members.ts'
import type { Truth } from './truth.ts'

/** How long a client may take to answer a close frame or the end of the stream before the socket is destroyed. */
const CLOSE_GRACE_MS = 1_000
const CLOSE_CODE_NORMAL = 1000

/** How the target parts with a client. `destroy` closes TCP without waiting, as for a client that does not read. */
export interface Parting {
  readonly kind: EndingKind
  readonly how: EndManner | 'destroy'
  readonly code?: number | undefined
  readonly reason?: string | undefined
}

export class Departures {
  readonly #members: Members
  readonly #truth: Truth

  constructor(members: Members, truth: Truth) {
    this.#members = members
    this.#truth = truth
  }

  /** Ends a connection on purpose, and says so in the truth log. */
  end(client: Client, { how, code, reason }: { how: EndManner; code?: number; reason?: string }): void {
    const closeCode = how === 'close' ? (code ?? CLOSE_CODE_NORMAL) : undefined
    const kinds = { close: 'closed-by-target', cut: 'cut-by-target', reset: 'reset-by-target' } as const
    this.#truth.note(how, client.account, closeCode === undefined ? {} : { code: closeCode })
    this.part(client, { kind: kinds[how], how, code: closeCode, reason })
  }

  /** Parts with a client: it hears nothing more, and what waits for it is dropped. */
  part(client: Client, parting: Parting): void {
    if (client.leaving !== undefined) return
    this.#members.leave(client, parting.kind, parting.code)
    const { socket } = client
    if (parting.how === 'reset') reset(socket)
    else if (parting.how === 'destroy') socket.destroy()
    else if (parting.how === 'cut') this.sendEnd(client)
    else {
      this.#patiently(client).hasSentClose = true
      socket.write(closeFrame(parting.code, parting.reason))
      // rango waits for no answer once a client has broken the protocol.
      if (parting.kind === 'protocol-error') this.sendEnd(client)
    }
  }

  /** The client has sent its close frame: it gets one back, and the end of the stream. */
  answerClose(client: Client, code: number | undefined): void {
    if (client.leaving === undefined) {
      this.#members.leave(client, 'closed-by-client', code)
      client.socket.write(closeFrame(code))
    }
    const leaving = this.#patiently(client)
    leaving.hasSentClose = true
    leaving.hasReceivedClose = true
    this.sendEnd(client)
  }

  /** Ends our side of the stream. */
  sendEnd(client: Client): void {
    this.#patiently(client).hasSentEnd = true
    client.socket.end()
  }

  /** The client's side of the stream has ended. */
  takeEnd(client: Client): void {
    if (client.leaving === undefined) this.#members.leave(client, 'connection-lost', undefined)
    this.#patiently(client).hasReceivedEnd = true
    client.socket.end()
  }

  #patiently(client: Client): Leaving {
    const leaving = client.leaving as Leaving
    leaving.timer ??= setTimeout(() => client.socket.destroy(), CLOSE_GRACE_MS).unref()
    return leaving
  }
}

/** Sends RST at once: by itself `resetAndDestroy` first waits until all is written, which a client that does not read prevents. */
function reset(socket: Socket): void {
  socket.resetAndDestroy()
  socket.destroy()
}
