/** What method and heartbeat frames may hold, and the errors RabbitMQ answers when they hold something else. */
import { AmqpError } from '../amqp-error.ts'
import { type Frame, FrameError } from '../codec/frame-reader.ts'
import { methodNameOf, readMethod } from '../codec/method-codec.ts'
import type { Method, MethodName } from '../codec/methods.ts'
import { WireError, WireReader } from '../codec/wire-reader.ts'

/** Class and method ids in front of the arguments. */
const METHOD_IDS_BYTES = 4

/** Reads method frames: first the name, then the arguments of the same frame, so that an error can say whose they were. */
export class MethodReader {
  readonly #reader = new WireReader(Buffer.alloc(0))

  nameIn(frame: Frame): MethodName {
    this.#reader.reset(frame.buffer, frame.start, frame.end)
    if (this.#reader.remaining < METHOD_IDS_BYTES) throw unknownFrame(frame)
    const classId = this.#reader.short()
    const methodId = this.#reader.short()
    const name = methodNameOf(classId, methodId)
    if (name === undefined) throw new AmqpError(503, `unknown method ${classId}.${methodId}`)
    return name
  }

  /** Only right after `nameIn` of the same frame. */
  read(name: MethodName, frame: Frame): Method {
    try {
      return readMethod(name, this.#reader)
    } catch (error) {
      if (!(error instanceof WireError)) throw error
      throw new AmqpError(501, `cannot decode ${name}: ${error.message} (frame of ${frame.end - frame.start} bytes)`)
    }
  }
}

export function expectHeartbeat(frame: Frame): void {
  if (frame.end > frame.start) throw unknownFrame(frame)
  if (frame.channel !== 0) throw new AmqpError(505, `type ${frame.type}, all octets = <<>>`)
}

const unknownFrame = (frame: Frame): FrameError =>
  new FrameError(frame.type, frame.buffer.subarray(frame.start, frame.end), 'unknown_frame')
