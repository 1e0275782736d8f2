/** Whether what is declared again is the same as what is there; the refusals are RabbitMQ's, word for word. */
import { AmqpError } from '../amqp-error.ts'
import type { ExchangeTraits } from './exchange.ts'
import type { QueueTraits } from './queue.ts'

type Compared = readonly (readonly [arg: string, received: string | boolean, current: string | boolean])[]

/** `what` names the exchange in the refusal. */
export function expectEqualExchange(current: ExchangeTraits, wanted: ExchangeTraits, what: string): void {
  const compared: Compared = [
    ['type', wanted.type, current.type],
    ['durable', wanted.durable, current.durable],
    ['auto_delete', wanted.autoDelete, current.autoDelete],
    ['internal', wanted.internal, current.internal],
  ]
  expectEqual(compared, what)
}

/** `what` names the queue in the refusal. Whose it is has been compared before. */
export function expectEqualQueue(current: QueueTraits, wanted: Pick<QueueTraits, 'durable' | 'autoDelete'>, what: string): void {
  const compared: Compared = [
    ['durable', wanted.durable, current.durable],
    ['auto_delete', wanted.autoDelete, current.autoDelete],
  ]
  expectEqual(compared, what)
}

function expectEqual(compared: Compared, what: string): void {
  for (const [arg, received, current] of compared) {
    if (received !== current) {
      throw new AmqpError(406, `inequivalent arg '${arg}' for ${what}: received '${received}' but current is '${current}'`)
    }
  }
}
