import { after, before } from 'node:test'
import { injectorBehaviours } from '../../contract/broker/injector-behaviours.ts'
import { rabbitmq } from '../../contract/broker/ways-in.ts'
import { RabbitMqNode } from '../../doubles/rabbitmq-node.ts'

const node = new RabbitMqNode()
before(() => node.start())
after(() => node.remove())

injectorBehaviours(rabbitmq(node))
