import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { connect } from 'amqplib'
import { type Broker, startBroker } from '../../../src/embedded/broker.ts'

describe('the control port', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fanfare-broker-'))
  const truthFile = join(folder, 'truth.ndjson')
  let broker: Broker

  before(async () => {
    broker = await startBroker({ controlPort: 0, truthFile })
  })
  after(async () => {
    await broker.close()
    rmSync(folder, { recursive: true })
  })

  const ask = async (path: string, fault?: unknown): Promise<{ status: number; text: string }> => {
    const response = await fetch(`${broker.controlUrl}${path}`, fault === undefined ? {} : { method: 'POST', body: JSON.stringify(fault) })
    return { status: response.status, text: await response.text() }
  }

  test('injects a fault, and tells the truth about it in the API, over HTTP and in the file alike', async () => {
    const connection = await connect(broker.url)
    const channel = await connection.createConfirmChannel()
    assert.equal((await ask('/faults', { kind: 'nack', next: 1 })).status, 200)
    const outcome = new Promise<unknown>((resolve) => channel.publish('amq.topic', 'key', Buffer.from('x'), { messageId: 'm1' }, resolve))
    assert.ok((await outcome) instanceof Error)
    await connection.close()

    const lines = (text: string) =>
      text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
    const told = lines((await ask('/truth')).text)
    assert.deepEqual(told, broker.truth)
    assert.deepEqual(told, lines(readFileSync(truthFile, 'utf8')))
    assert.deepEqual(
      told.map(({ did, messageId }) => [did, messageId]),
      [
        ['injected', undefined],
        ['nacked', 'm1'],
      ],
    )
  })

  test('tells what the broker holds', async () => {
    const connection = await connect(broker.url, { clientProperties: { connection_name: 'seen' } })
    const channel = await connection.createChannel()
    const { queue } = await channel.assertQueue('', { exclusive: true })
    const state = JSON.parse((await ask('/state')).text)
    assert.deepEqual(state.queues, [{ name: queue, isExclusive: true, messages: 0, consumers: 0 }])
    assert.deepEqual(
      state.connections.map(({ name, channels }: { name: string; channels: number }) => [name, channels]),
      [['seen', 1]],
    )
    await connection.close()
  })

  test('refuses what it does not understand with a sentence', async () => {
    const unknown = await ask('/nowhere')
    assert.deepEqual([unknown.status, JSON.parse(unknown.text)], [404, { error: 'There is no GET /nowhere here' }])
    const nonsense = await ask('/faults', { kind: 'confirm-delay', delayMs: -1 })
    assert.equal(nonsense.status, 400)
    assert.match(JSON.parse(nonsense.text).error, /Expected `delayMs` of confirm-delay to be milliseconds from 0 to 2147483647, got -1/)
    const broken = await fetch(`${broker.controlUrl}/faults`, { method: 'POST', body: '{' })
    assert.equal(broken.status, 400)
    const huge = await fetch(`${broker.controlUrl}/faults`, { method: 'POST', body: 'x'.repeat(100_000) })
    assert.equal(huge.status, 400)
  })

  test('a truth log that cannot be written is refused before anything listens', async () => {
    await assert.rejects(startBroker({ truthFile: join(folder, 'absent', 'truth.ndjson') }), {
      code: 'settings-invalid',
      message: /^The truth log cannot be written: ENOENT/,
    })
  })

  test('a port that is taken is refused with a sentence, and nothing is left listening', async () => {
    const taken = Number(new URL(broker.controlUrl!).port)
    await assert.rejects(startBroker({ controlPort: taken }), {
      code: 'settings-invalid',
      message: new RegExp(`^The embedded broker cannot listen on 127\\.0\\.0\\.1:${taken}: `),
    })
    await assert.rejects(startBroker({ port: broker.port }), { code: 'settings-invalid' })
  })
})
