/**
 * Which probe a frame carries. Looked at once per message; the times in the token are of no interest here.
 */
import { TokenReader } from '../probe/codec.ts'
import { RUN_CHARACTERS, TOKEN_MARK } from '../probe/probe.ts'

export interface ProbeName {
  readonly run: string
  /** Stream index, as in the token. */
  readonly probeStream: number
  readonly sequence: number
}

/** Finds the first probe named in some bytes. One per target: the reader keeps what it last read. */
export class ProbeNamer {
  readonly #reader = new TokenReader('0'.repeat(RUN_CHARACTERS)) // whose run it is makes no difference here

  /** Undefined when the bytes hold no token: then it is a message like any other. */
  nameOf(bytes: Buffer): ProbeName | undefined {
    const offset = this.#reader.findToken(bytes, 0, bytes.length)
    if (offset < 0) return undefined
    const runAt = offset + TOKEN_MARK.length
    return {
      run: bytes.toString('latin1', runAt, runAt + RUN_CHARACTERS),
      probeStream: this.#reader.stream,
      sequence: this.#reader.sequence,
    }
  }
}
