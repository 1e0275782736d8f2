import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Broker, startBroker } from '../../../src/embedded/broker.ts'
import { eventually } from '../../doubles/eventually.ts'
import { behaviours, kits, play } from './behaviours.ts'

for (const kit of kits) {
  describe(`the embedded broker, asked by ${kit.library}`, () => {
    let broker: Broker
    before(async () => {
      broker = await startBroker()
    })
    after(() => broker.close())

    for (const behaviour of behaviours) {
      test(behaviour.title, () => play(behaviour, kit, broker.url))
    }

    test('leaves nothing behind when its clients have gone', async () => {
      await eventually(() => broker.state().connections.length === 0, 'all connections were closed')
      assert.deepEqual(broker.state().queues, [])
      assert.deepEqual(broker.state().faultsOfOurs, [])
      assert.deepEqual(
        broker.state().exchanges.map((exchange) => [exchange.name, exchange.bindings]),
        [
          ['amq.direct', 0],
          ['amq.fanout', 0],
          ['amq.topic', 0],
        ],
      )
    })
  })
}
