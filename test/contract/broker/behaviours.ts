/** The broker contract: every behaviour once, for each client library, against the embedded broker and against RabbitMQ. */
import { consuming } from './behaviours/consuming.ts'
import { lifetimes } from './behaviours/lifetimes.ts'
import { publishing } from './behaviours/publishing.ts'
import { refusals } from './behaviours/refusals.ts'
import { routing } from './behaviours/routing.ts'
import { amqplib } from './kits/amqplib.ts'
import { cloudamqp } from './kits/cloudamqp.ts'
import type { Kit } from './kits/kit.ts'
import { rabbitmqClient } from './kits/rabbitmq-client.ts'
import { type Behaviour, Scene } from './scene.ts'

export const kits: readonly Kit[] = [amqplib, cloudamqp, rabbitmqClient]

export const behaviours: readonly Behaviour[] = [...routing, ...publishing, ...consuming, ...lifetimes, ...refusals]

/** Plays one behaviour and closes what it opened, whatever comes of it. */
export async function play(behaviour: Behaviour, kit: Kit, url: string): Promise<void> {
  const scene = new Scene(kit, url)
  try {
    await behaviour.run(scene)
  } finally {
    await scene.close()
  }
}
