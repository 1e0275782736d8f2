/**
 * Where each client of a thread is in its life. Events come from the dialer, the engine and the dialect; what happens at each
 * is in `receiver.ts`.
 *
 *   state     event                               next
 *   waiting   its time has come                   dialing
 *   dialing   the handshake was answered          open
 *   open      the subscription was acknowledged   ready
 *   any       the connection ended                over, or waiting with RECONNECT=on
 */
export const ClientState = { waiting: 0, dialing: 1, open: 2, ready: 3, over: 4 } as const
export type ClientStateCode = (typeof ClientState)[keyof typeof ClientState]

/** By slot; one byte each. */
export class ClientStates {
  /** Clients that have a connection, or are getting one. */
  alive = 0
  readonly #states: Uint8Array

  constructor(slots: number) {
    this.#states = new Uint8Array(slots)
  }

  is(slot: number, state: ClientStateCode): boolean {
    return this.#states[slot] === state
  }

  isAlive(slot: number): boolean {
    return isAliveIn(this.#states[slot]!)
  }

  enter(slot: number, state: ClientStateCode): void {
    this.alive += Number(isAliveIn(state)) - Number(this.isAlive(slot))
    this.#states[slot] = state
  }

  /** Slots with a connection, or getting one, in order. */
  *aliveSlots(): Generator<number> {
    for (let slot = 0; slot < this.#states.length; slot++) if (this.isAlive(slot)) yield slot
  }
}

const isAliveIn = (state: number): boolean => state === ClientState.dialing || state === ClientState.open || state === ClientState.ready
