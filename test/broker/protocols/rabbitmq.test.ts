/**
 * RabbitMQ's own MQTT and STOMP over WebSocket as targets that nobody here wrote: what is published to `amq.topic` is heard by
 * its subscribers. fanfare's books are compared with the official clients' counts and with an independent witness.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { subscribeWithMqtt, subscribeWithStomp } from '../../doubles/official-clients.ts'
import { RabbitMqNode } from '../../doubles/rabbitmq-node.ts'
import { startWitness } from '../../doubles/witness.ts'
import { type Ended, fanfare, startFanfare } from '../../fixtures/fanfare.ts'

const CLIENTS = 300
const PROBES = 200
const guest = { user: 'guest', password: 'guest' }
/** May log in and read nothing but `open.#`. */
const limited = { user: 'limited', password: 'a password' }

const dialects = [
  {
    name: 'mqtt',
    plugin: 'rabbitmq_web_mqtt',
    address: 'TEST_WEB_MQTT_ADDR',
    stream: 'fanfare/{{run}}/{{index}}',
    separator: '/',
    prefix: '',
    variants: [{ MQTT_QOS: '1' }, { ENGINE: 'ws' }],
    refusedLogin: /subscription-refused 20 \(CONNECT was answered with close 1002: unauthenticated\)/,
  },
  {
    name: 'stomp',
    plugin: 'rabbitmq_web_stomp',
    address: 'TEST_WEB_STOMP_ADDR',
    stream: '/topic/fanfare.{{run}}.{{index}}',
    separator: '.',
    prefix: '/topic/',
    variants: [{ STOMP_VERSION: '1.0' }, { STOMP_VERSION: '1.1' }, { ENGINE: 'ws' }],
    refusedLogin: /subscription-refused 20 \(the target sent an ERROR: Bad CONNECT: Access refused for user 'guest'\)/,
  },
] as const

/** "code: sentence" of what the verdict names first. */
function reasonOf({ report }: Ended): string {
  const [reason] = report?.verdict.reasons ?? []
  return `${reason?.code}: ${reason?.text}`
}

describe('RabbitMQ as the target', () => {
  const node = new RabbitMqNode('web_mqtt', 'web_stomp')
  before(async () => {
    await node.start()
    await node.ctl('add_user', limited.user, limited.password)
    await node.ctl('set_permissions', limited.user, '.*', '.*', '.*')
    await node.ctl('set_topic_permissions', limited.user, 'amq.topic', '^$', '^open\\.')
  })
  after(() => node.remove())

  for (const { name, plugin, address, stream, separator, prefix, variants, refusedLogin } of dialects) {
    const settings = (more: Record<string, string> = {}) => ({
      PROTOCOL: name,
      WS_ADDR: node.addresses[address]!,
      AMQP_ADDR: node.url,
      AMQP_EXCHANGE: 'amq.topic',
      STREAM: stream,
      AMQP_ROUTING_KEY: 'fanfare.{{run}}.{{index}}',
      PROTOCOL_USER: guest.user,
      PROTOCOL_PASSWORD: guest.password,
      WS_POOL_SIZE: String(CLIENTS),
      MSG_COUNT: String(PROBES),
      MSG_DELAY: '50',
      ...more,
    })
    const streamName = (run: string) => `${prefix}${['fanfare', run, '0'].join(separator)}`

    test(`${name}: ${CLIENTS} clients hear ${PROBES} probes, as the official clients and the witness do`, async () => {
      const wsAddr = node.addresses[address]!
      const run = `${name}wit01`.slice(0, 8).padEnd(8, '0')
      const subscribe = () =>
        name === 'mqtt' ? subscribeWithMqtt(wsAddr, streamName(run), guest, 4) : subscribeWithStomp(wsAddr, streamName(run), guest)
      const [witness, ...official] = await Promise.all([startWitness(wsAddr, name, streamName(run), guest), subscribe(), subscribe()])

      const { exitCode, report, stderr } = await fanfare(['run'], settings({ RUN_ID: run }))
      const testimony = await witness.testify()
      for (const client of official) await client.close()

      assert.equal(exitCode, 0, stderr)
      const { deliveries, clients, publish, verdict } = report!
      assert.equal(verdict.outcome, 'pass')
      assert.equal(clients.ready, CLIENTS)
      assert.equal(publish?.confirmed, PROBES)
      assert.equal(deliveries.expected, CLIENTS * PROBES)
      assert.equal(deliveries.delivered, CLIENTS * PROBES)
      assert.deepEqual([deliveries.duplicated, deliveries.outOfOrder, deliveries.unexpected, deliveries.foreign], [0, 0, 0, 0])
      assert.deepEqual(testimony, { deliveries: PROBES, probes: PROBES, inOrder: true })
      for (const { heard } of official) {
        assert.equal(heard.length, deliveries.delivered / clients.ready)
        assert.deepEqual(heard, [...new Set(heard)].sort())
      }
    })

    for (const variant of variants) {
      test(`${name}: every delivery is booked with ${Object.entries(variant).join().replace(',', '=')}`, async () => {
        const { exitCode, report, stderr } = await fanfare(
          ['run'],
          settings({ ...variant, WS_POOL_SIZE: '20', MSG_COUNT: '20', MSG_DELAY: '10' }),
        )
        assert.equal(exitCode, 0, stderr)
        const { delivered, duplicated, outOfOrder } = report!.deliveries
        assert.deepEqual([delivered, duplicated, outOfOrder], [20 * 20, 0, 0])
      })
    }

    test(`${name}: several streams share the clients, and each is booked in rows of its own`, async () => {
      const { exitCode, report, stderr } = await fanfare(
        ['run'],
        settings({ STREAMS: '3', STREAMS_PER_CLIENT: '2', WS_POOL_SIZE: '30', MSG_COUNT: '20', MSG_DELAY: '20', WARMUP_COUNT: '4' }),
      )
      assert.equal(exitCode, 0, stderr)
      assert.equal(report!.deliveries.delivered, 30 * 2 * 20)
      assert.deepEqual([report!.canary?.delivered, report!.canary?.duplicated], [30 * 2, 0])
      assert.deepEqual([report!.warmup?.delivered, report!.warmup?.duplicated], [30 * 2 * 4, 0])
      assert.deepEqual(
        report!.streams?.map(({ index, clients, expected, delivered, lost }) => ({ index, clients, expected, delivered, lost })),
        [0, 1, 2].map((index) => ({ index, clients: 20, expected: 400, delivered: 400, lost: 0 })),
      )
    })

    test(`${name}: a wrong password is a refusal with a name, and the run is not carried out`, async () => {
      const ended = await fanfare(['run'], settings({ PROTOCOL_PASSWORD: 's3cret', WS_POOL_SIZE: '20' }))
      assert.equal(ended.exitCode, 3)
      assert.match(reasonOf(ended), refusedLogin)
      assert.deepEqual(ended.report?.clients.errorsByCode, { 'subscription-refused': 20 })
      assert.equal(ended.report?.clients.ready, 0)
      assert.ok(!JSON.stringify(ended).includes('s3cret'))
    })

    test(`${name}: a topic without permission is a refusal with a name`, async () => {
      const login = { PROTOCOL_USER: limited.user, PROTOCOL_PASSWORD: limited.password, WS_POOL_SIZE: '20', MSG_COUNT: '5' }
      const refused = await fanfare(['run'], settings(login))
      assert.equal(refused.exitCode, 3)
      assert.match(reasonOf(refused), /subscription-refused 20 \(SUBSCRIBE was answered with close 100\d: \w+/)
      assert.deepEqual(refused.report?.clients.errorsByCode, { 'subscription-refused': 20 })

      const open = { STREAM: `${prefix}${['open', '{{run}}', '{{index}}'].join(separator)}`, AMQP_ROUTING_KEY: 'open.{{run}}.{{index}}' }
      const granted = await fanfare(['run'], settings({ ...login, ...open }))
      assert.equal(granted.exitCode, 0, granted.stderr)
      assert.equal(granted.report?.deliveries.delivered, 20 * 5)
    })

    test(`${name}: the canary finds a routing key that leads nowhere, and one that leads to another stream`, async () => {
      const returned = await fanfare(['run'], settings({ AMQP_ROUTING_KEY: 'nowhere.{{run}}', WS_POOL_SIZE: '5' }))
      assert.equal(returned.exitCode, 3)
      assert.match(reasonOf(returned), /^canary-unroutable: .*`nowhere\.[0-9a-z]{8}`/)

      const elsewhere = await startWitness(node.addresses[address]!, name, `${prefix}elsewhere`, guest)
      const unheard = await fanfare(['run'], settings({ AMQP_ROUTING_KEY: 'elsewhere', WS_POOL_SIZE: '5' }))
      await elsewhere.testify()
      assert.equal(unheard.exitCode, 3)
      assert.match(reasonOf(unheard), /^canary-not-broadcast: /)
    })

    test(`${name}: the plugin is disabled mid-run, and every delivery that did not come is accounted for`, async () => {
      const running = startFanfare(['run'], settings({ WS_POOL_SIZE: '50', MSG_COUNT: '400' }))
      await running.said(/publish/)
      await node.plugins('disable', plugin)
      const { exitCode, report } = await running.ended
      await node.plugins('enable', plugin)
      assert.equal(exitCode, 1)
      const { deliveries, clients, verdict } = report!
      assert.equal(verdict.outcome, 'fail')
      assert.equal(report!.stopReason, 'target-lost')
      assert.equal(clients.disconnected, 50)
      assert.equal(
        Object.values(clients.errorsByCode).reduce((sum, count) => sum + count, 0),
        50,
      )
      assert.ok(deliveries.missed > 0)
      assert.deepEqual([deliveries.lost, deliveries.unaccounted], [0, 0])
      assert.equal(deliveries.expected, deliveries.delivered + deliveries.missed)
    })
  }

  test('an exchange that does not exist is named before anything is measured', async () => {
    const ended = await fanfare(['run'], {
      PROTOCOL: 'stomp',
      WS_ADDR: node.addresses.TEST_WEB_STOMP_ADDR!,
      AMQP_ADDR: node.url,
      AMQP_EXCHANGE: 'nobody.declared.this',
      PROTOCOL_USER: guest.user,
      PROTOCOL_PASSWORD: guest.password,
      STREAM: '/topic/fanfare.{{run}}',
      WS_POOL_SIZE: '2',
    })
    assert.equal(ended.exitCode, 3)
    assert.match(reasonOf(ended), /^exchange-missing: /)
  })
})
