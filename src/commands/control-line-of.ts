/** How a process of a group reaches the broker that carries its control messages. */
import { parseAmqpAddress } from '../broker/amqp-address.ts'
import { readTlsMaterial } from '../clients/engines/tls-material.ts'
import type { LineOptions } from '../cluster/control-line.ts'
import { controlExchange } from '../cluster/group.ts'
import type { Settings } from '../config/settings.ts'

/** @param role what RabbitMQ shows in its list of connections */
export function controlLineOf(settings: Settings, role: string): Omit<LineOptions, 'queue' | 'key'> {
  const { controlAmqpAddr, amqpAddr, runGroup, amqpWaitMs } = settings
  const [url] = controlAmqpAddr ?? amqpAddr
  return {
    address: parseAmqpAddress(url!),
    tls: readTlsMaterial(settings),
    connectionName: `fanfare ${role} of ${runGroup}`,
    exchange: controlExchange(runGroup),
    waitMs: amqpWaitMs,
  }
}
