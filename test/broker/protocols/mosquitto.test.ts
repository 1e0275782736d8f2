/**
 * MQTT against mosquitto, which has no AMQP side and speaks 5: the test publishes with the official client, stamping as docs/stamping.md
 * says, and fanfare runs with INJECTOR=none.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import mqtt from 'mqtt'
import { writeToken } from '../../../src/probe/codec.ts'
import { type Mosquitto, reader, startMosquitto } from '../../doubles/mosquitto.ts'
import { subscribeWithMqtt } from '../../doubles/official-clients.ts'
import { startWitness } from '../../doubles/witness.ts'
import { fanfare, startFanfare } from '../../fixtures/fanfare.ts'

const CLIENTS = 100
const PROBES = 100
const RUN = 'mosquit5'
const GAP_MS = 5
const TOPIC = `fanfare/${RUN}`

describe('mosquitto as the target', () => {
  let target: Mosquitto
  before(async () => {
    target = await startMosquitto()
  })
  after(() => target.stop())

  const settings = (more: Record<string, string> = {}) => ({
    PROTOCOL: 'mqtt',
    MQTT_VERSION: '5',
    INJECTOR: 'none',
    RUN_ID: RUN,
    WS_ADDR: target.wsAddr,
    STREAM: 'fanfare/{{run}}',
    PROTOCOL_USER: reader.user,
    PROTOCOL_PASSWORD: reader.password,
    WS_POOL_SIZE: String(CLIENTS),
    MSG_COUNT: String(PROBES),
    ...more,
  })

  for (const [version, qos] of [
    ['3.1.1', 0],
    ['5', 0],
    ['5', 1],
  ] as const) {
    test(`MQTT ${version} with QoS ${qos}: ${CLIENTS} clients hear what another program publishes, as the official client and the witness do`, async () => {
      const official = await subscribeWithMqtt(target.wsAddr, TOPIC, reader, 5)
      const witness = await startWitness(target.wsAddr, 'mqtt', TOPIC, reader)
      const running = startFanfare(['run'], settings({ MQTT_VERSION: version, MQTT_QOS: String(qos) }))
      await running.said(/publish/)
      await publishProbes(target.wsAddr, qos, PROBES)
      const { exitCode, report, stderr } = await running.ended
      const testimony = await witness.testify()
      await official.close()

      assert.equal(exitCode, 0, stderr)
      const { deliveries } = report!
      assert.equal(deliveries.delivered, CLIENTS * PROBES)
      assert.deepEqual([deliveries.lost, deliveries.duplicated, deliveries.outOfOrder], [0, 0, 0])
      assert.equal(official.heard.length, PROBES)
      assert.deepEqual(testimony, { deliveries: PROBES, probes: PROBES, inOrder: true })
    })
  }

  test('a probe that the target has stored is told apart, and is no delivery', async () => {
    const publisher = await mqtt.connectAsync(target.wsAddr, { protocolVersion: 5, username: reader.user, password: reader.password })
    const store = (payload: string) => publisher.publishAsync(TOPIC, payload, { retain: true, qos: 1 })
    const nowUs = Date.now() * 1_000
    await store(writeToken({ run: RUN, stream: 0, sequence: 3, intendedUs: nowUs, sentUs: nowUs }))
    const running = startFanfare(['run'], settings({ WS_POOL_SIZE: '10', MSG_COUNT: '5' }))
    await running.said(/publish/)
    await store('')
    await publishProbes(target.wsAddr, 0, 5)
    const { exitCode, report, stderr } = await running.ended
    await publisher.endAsync()

    assert.equal(exitCode, 0, stderr)
    assert.equal(report!.otherFrames?.snapshot, 10)
    const { delivered, duplicated, early } = report!.deliveries
    assert.deepEqual([delivered, duplicated, early], [50, 0, 0])
  })

  test('a wrong password is refused by its reason code', async () => {
    const { exitCode, report } = await fanfare(['run'], settings({ PROTOCOL_PASSWORD: 'wrong', WS_POOL_SIZE: '10' }))
    assert.equal(exitCode, 3)
    const [reason] = report!.verdict.reasons
    assert.equal(reason?.code, 'ready-failed')
    assert.match(reason!.text, /subscription-refused 10 \(CONNECT was refused: not authorized \(135\)\)/)
  })
})

/** The small publisher: a stamped probe every few milliseconds. */
async function publishProbes(wsAddr: string, qos: 0 | 1, probes: number): Promise<void> {
  const client = await mqtt.connectAsync(wsAddr, { protocolVersion: 5, username: reader.user, password: reader.password })
  for (let sequence = 0; sequence < probes; sequence++) {
    const nowUs = Date.now() * 1_000
    const probe = writeToken({ run: RUN, stream: 0, sequence, intendedUs: nowUs, sentUs: nowUs })
    await client.publishAsync(TOPIC, JSON.stringify({ probe }), { qos })
    await sleep(GAP_MS)
  }
  await client.endAsync()
}
