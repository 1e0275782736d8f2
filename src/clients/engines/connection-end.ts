/**
 * Why a connection ended and by whose hand, from what is known when it has ended. One pure rule for both engines, so that the
 * same traffic is booked under the same codes.
 */
import { isUtf8 } from 'node:buffer'
import type { CountedCode } from '../../errors.ts'
import type { ConnectionEnd } from '../engine.ts'
import { boundedText } from './socket-faults.ts'

/** Close codes that no frame carries (RFC 6455 §7.4.1): the close frame had none, or there was no close frame. */
export const NO_STATUS = 1005
export const NO_CLOSE_FRAME = 1006

export interface Fault {
  readonly code: CountedCode
  readonly text: string
}

export interface EndFacts {
  /** The client itself began to close. */
  readonly isClosing: boolean
  /** A broken rule of the protocol or a failed dial. */
  readonly fault: Fault | undefined
  /** The close frame that was received; `code` is NO_STATUS when it was empty. */
  readonly closeFrame: { readonly code: number; readonly reason: Uint8Array } | undefined
  /** An error of the socket after it was open. */
  readonly socketFault: Fault | undefined
}

/**
 * A purpose of our own outweighs everything; then what the target broke, what it said, and what happened to its socket. An
 * open connection that ends without a close frame has the close code 1006, as every WebSocket API tells it.
 */
export function explainEnd({ isClosing, fault, closeFrame, socketFault }: EndFacts): Omit<ConnectionEnd, 'wasOpen'> {
  if (isClosing) return { code: undefined, text: 'closed by the client', ...(closeFrame !== undefined && { closeCode: closeFrame.code }) }
  if (fault !== undefined) return fault
  if (closeFrame !== undefined) return explainCloseFrame(closeFrame.code, closeFrame.reason)
  if (socketFault !== undefined) return { ...socketFault, closeCode: NO_CLOSE_FRAME }
  return { code: 'cut-by-target', closeCode: NO_CLOSE_FRAME, text: 'TCP connection closed without a close frame' }
}

function explainCloseFrame(closeCode: number, reason: Uint8Array): Omit<ConnectionEnd, 'wasOpen'> {
  if (!isUtf8(reason)) return { code: 'protocol-error', text: 'close reason is not UTF-8' }
  const said = reason.length === 0 ? '' : `: ${Buffer.from(reason).toString('utf8')}`
  return { code: 'closed-by-target', closeCode, text: boundedText(`close ${closeCode}${said}`) }
}
