// The same contract the embedded broker is held to, against a real RabbitMQ: what the contract says is what RabbitMQ does.
import { describe, test } from 'node:test'
import { behaviours, kits, play } from '../contract/broker/behaviours.ts'

const url = process.env.TEST_AMQP_ADDR
if (url === undefined) throw new Error('TEST_AMQP_ADDR names no RabbitMQ')

for (const kit of kits) {
  describe(`RabbitMQ, asked by ${kit.library}`, () => {
    for (const behaviour of behaviours) {
      test(behaviour.title, () => play(behaviour, kit, url))
    }
  })
}
