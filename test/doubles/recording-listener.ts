/** An engine's listener that writes down everything it is told, and lets a test wait for it. */
import type { ConnectionEnd, EngineListener, OpenFacts } from '../../src/clients/engine.ts'
import { eventually } from './eventually.ts'

export interface RecordedMessage {
  readonly slot: number
  readonly payload: Buffer
  readonly isBinary: boolean
  readonly receivedUs: number
}

export class RecordingListener implements EngineListener {
  readonly opens = new Map<number, OpenFacts>()
  readonly messages: RecordedMessage[] = []
  readonly ends: { slot: number; end: ConnectionEnd }[] = []
  /** Called with each message after it was written down. */
  onEachMessage: (message: RecordedMessage) => void = () => undefined

  onOpen(slot: number, facts: OpenFacts): void {
    this.opens.set(slot, facts)
  }

  onMessage(slot: number, data: Uint8Array, start: number, end: number, isBinary: boolean, receivedUs: number): void {
    const message = { slot, payload: Buffer.from(data.subarray(start, end)), isBinary, receivedUs }
    this.messages.push(message)
    this.onEachMessage(message)
  }

  onEnd(slot: number, end: ConnectionEnd): void {
    this.ends.push({ slot, end })
  }

  open(slot: number): Promise<OpenFacts> {
    return eventually(() => this.opens.get(slot), `slot ${slot} is open`)
  }

  end(slot: number): Promise<ConnectionEnd> {
    return eventually(() => this.ends.find((entry) => entry.slot === slot)?.end, `slot ${slot} has ended`)
  }

  texts(count: number): Promise<string[]> {
    return eventually(
      () => this.messages.length >= count && this.messages.map(({ payload }) => payload.toString()),
      `${count} messages came`,
    )
  }
}
