/**
 * One message on its way to its audience: decoded, encoded and framed once, whoever gets it.
 */
import type { Broadcast } from './broadcast-log.ts'

export interface Message {
  readonly broadcast: Broadcast
  /** The body as rango encodes it, without the envelope. */
  readonly body: string
  /** The text frame with the envelope. */
  readonly frame: Buffer
}
