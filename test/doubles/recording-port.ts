/** A session port that writes down what a dialect asks for. */
import type { FrameKind, SessionPort } from '../../src/protocols/protocol.ts'

export class RecordingPort implements SessionPort {
  readonly sent: (string | Uint8Array)[] = []
  readonly counted: FrameKind[] = []
  readonly payloads: string[] = []
  /** What the target said about each payload. */
  readonly marks: { isRedelivery: boolean; isRetained: boolean }[] = []
  readonly refusals: string[] = []
  readonly endings: string[] = []
  readonly failures: string[] = []
  readyCalls = 0

  send(data: string | Uint8Array): void {
    this.sent.push(data)
  }

  ready(): void {
    this.readyCalls++
  }

  refused(text: string): void {
    this.refusals.push(text)
  }

  ended(text: string): void {
    this.endings.push(text)
  }

  payload(data: Uint8Array, start: number, end: number, isRedelivery: boolean, isRetained: boolean): void {
    this.marks.push({ isRedelivery, isRetained })
    this.payloads.push(Buffer.from(data.subarray(start, end)).toString('latin1'))
  }

  count(kind: FrameKind): void {
    this.counted.push(kind)
  }

  fail(text: string): void {
    this.failures.push(text)
  }
}
