/**
 * What this broker does not offer and would otherwise get silently wrong: arguments that change what a queue, an exchange or
 * a consumer does. They are refused with 540 and named, so that nobody measures with a queue that is not what they asked for.
 * Arguments that change nothing here are taken and ignored, as RabbitMQ does with those it does not know.
 */
import { AmqpError } from '../amqp-error.ts'
import type { FieldTable } from '../codec/field-table.ts'

const REFUSED = [
  'alternate-exchange',
  'x-dead-letter-exchange',
  'x-dead-letter-routing-key',
  'x-expires',
  'x-max-length',
  'x-max-length-bytes',
  'x-max-priority',
  'x-message-ttl',
  'x-overflow',
  'x-priority',
  'x-single-active-consumer',
  'x-stream-offset',
]

export function refuseWhatIsNotOffered(args: FieldTable): void {
  for (const name of REFUSED) {
    if (args.has(name)) throw new AmqpError(540, `argument '${name}' is not offered by this broker`)
  }
  const queueType = args.get('x-queue-type')
  if (queueType !== undefined && queueType.value !== 'classic') {
    throw new AmqpError(540, `queue type '${queueType.value}' is not offered by this broker`)
  }
}
