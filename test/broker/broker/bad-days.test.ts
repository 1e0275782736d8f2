/**
 * Real RabbitMQ on its bad days, on a node of this file's own: whatever happens to the broker, every probe ends in one state, every
 * wait ends, and the reason is told in words.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, type TestContext, test } from 'node:test'
import type { AmqpInjectorOptions } from '../../../src/broker/amqp-injector.ts'
import { type ErrorCode, FanfareError } from '../../../src/errors.ts'
import { ProbeState } from '../../../src/measure/publisher-log.ts'
import type { InjectingPublisher } from '../../../src/run/injecting-publisher.ts'
import type { PublisherSnapshot } from '../../../src/run/publisher.ts'
import { Catcher, type Publishing, publishingTo } from '../../doubles/publishing.ts'
import { RabbitMqNode } from '../../doubles/rabbitmq-node.ts'

const EXCHANGE = 'bad.days'
const TEST_TIMEOUT_MS = 90_000
const never = new AbortController().signal
const bounded = { timeout: TEST_TIMEOUT_MS }

const node = new RabbitMqNode('tls')
before(() => node.start(), { timeout: 180_000 })
after(() => node.remove())

/** 200 probes a second, and more of them than any bad day lasts: tests stop when they have seen enough. */
const publishing = (settings: Record<string, string> = {}, over: Partial<AmqpInjectorOptions> = {}): Publishing =>
  publishingTo(node.url, { AMQP_EXCHANGE: EXCHANGE, MSG_COUNT: '100000', RATE: '200', AMQP_WAIT_MS: '40000', ...settings }, over)

/** Publishes until some probes are confirmed; `recovered` waits until some more are and then stops. */
async function publishingUnderway(t: TestContext, settings: Record<string, string> = {}, over: Partial<AmqpInjectorOptions> = {}) {
  const { publisher, notices, until } = publishing(settings, over)
  t.after(() => publisher.close())
  await publisher.open(never)
  const stop = new AbortController()
  const outcome = publisher.publish(stop.signal)
  await until(({ confirmed }) => confirmed > 50, 'probes are confirmed')
  const recovered = async (): Promise<PublisherSnapshot> => {
    const { confirmed } = publisher.snapshot()
    await until((now) => now.confirmed > confirmed + 50, 'probes are confirmed again')
    stop.abort()
    assert.equal(await outcome, 'aborted', notices.join('\n'))
    return publisher.snapshot()
  }
  return { publisher, notices, until, outcome, recovered }
}

/** An exchange with a queue that hears everything, until the test is over. */
async function catcherFor(t: TestContext, exchange = EXCHANGE): Promise<Catcher> {
  const catcher = await Catcher.at(node.url, exchange)
  t.after(() => catcher.close())
  return catcher
}

/** What the log calls confirmed really is in the queue. */
function assertHeard(publisher: InjectingPublisher, bodies: string[], from = 0): void {
  const heard = new Set(sequences(bodies))
  publisher.log.streams[0]!.states.forEach((state, sequence) => {
    if (sequence >= from && state === ProbeState.confirmed) assert.ok(heard.has(sequence), `probe ${sequence} is confirmed but not there`)
  })
}

function assertSumsHold({ scheduled, published, skipped, confirmed, returned, nacked, unknown, outstanding }: PublisherSnapshot): void {
  assert.equal(scheduled, published + skipped)
  assert.equal(published, confirmed + returned + nacked + unknown)
  assert.equal(outstanding, 0)
}

/** Bodies by sequence, as the token in them says. */
const sequences = (bodies: string[]): number[] => bodies.map((body) => Number(/~ff1\.\w{8}\.\w{4}\.(\d{10})\./.exec(body)?.[1]))

async function assertOpenFails(url: string, code: ErrorCode, sentence: RegExp, settings: Record<string, string> = {}): Promise<void> {
  const { publisher } = publishingTo(url, { AMQP_EXCHANGE: EXCHANGE, AMQP_WAIT_MS: '0', ...settings })
  await assert.rejects(publisher.open(never), (error) => {
    assert.ok(error instanceof FanfareError, String(error))
    assert.equal(error.code, code, error.message)
    assert.match(error.message, sentence)
    assert.doesNotMatch(error.message, /:[^/@]*@/)
    return true
  })
  await publisher.close()
}

test('a memory alarm that is set and cleared mid-run is a recorded interval, and nothing is lost', bounded, async (t) => {
  const catcher = await catcherFor(t)
  const { until, recovered } = await publishingUnderway(t)
  await node.ctl('set_vm_memory_high_watermark', '0.000001')
  await until(({ obstacle }) => obstacle === 'blocked', 'the broker blocks publishing')
  await node.ctl('set_vm_memory_high_watermark', '0.4')
  const snapshot = await recovered()
  assertSumsHold(snapshot)
  assert.equal(snapshot.confirmed, snapshot.published)
  assert.equal(snapshot.blocked.length, 1)
  assert.match(snapshot.blocked[0]!.reason, /memory/)
  assert.ok(snapshot.blocked[0]!.endUs! > snapshot.blocked[0]!.startUs)
  assert.ok(snapshot.latenessByCause.blocked.count > 0)
  assert.equal((await catcher.bodies()).length, snapshot.published)
})

test('an alarm that is never cleared is not waited for without end', bounded, async (t) => {
  await catcherFor(t)
  const { publisher, outcome } = await publishingUnderway(t, {}, { stallMs: 1_500 })
  await node.ctl('set_vm_memory_high_watermark', '0.000001')
  try {
    assert.equal(await outcome, 'lost')
    assert.equal(publisher.lostBecause?.code, 'broker-stalled')
    assert.match(publisher.lostBecause.message, /alarm/)
    assertSumsHold(publisher.snapshot())
  } finally {
    await node.ctl('set_vm_memory_high_watermark', '0.4')
  }
})

test('a node that is stopped and started mid-run is waited for; the run goes on with unknown probes booked', bounded, async (t) => {
  const first = await catcherFor(t)
  const { publisher, recovered } = await publishingUnderway(t)
  await node.stop()
  const { obstacle, published } = publisher.snapshot()
  assert.equal(obstacle, 'disconnected')
  await first.close()
  await node.start()
  // The exchange was not durable: the publisher waits until its owner has declared it again.
  const second = await catcherFor(t)
  const snapshot = await recovered()
  assertSumsHold(snapshot)
  assert.equal(snapshot.connectionLosses, 1)
  assert.ok(snapshot.latenessByCause.disconnected.count > 0)
  assertHeard(publisher, await second.bodies(), published)
})

test('an operator who closes the connection costs no more than what was outstanding', bounded, async (t) => {
  const catcher = await catcherFor(t)
  const { publisher, notices, until, recovered } = await publishingUnderway(t)
  await closeConnection('fanfare test publisher')
  await until(({ connectionLosses }) => connectionLosses > 0, 'the loss is noticed')
  const snapshot = await recovered()
  assertSumsHold(snapshot)
  assert.equal(snapshot.connectionLosses, 1)
  assert.ok(notices.some((text) => /operator says no/.test(text)))
  assertHeard(publisher, await catcher.bodies())
})

test('with RESEND=on nothing stays unknown after a lost channel, and every probe is there', bounded, async (t) => {
  const first = await catcherFor(t)
  // At full speed there is always something outstanding.
  const { publisher, until, outcome } = await publishingUnderway(t, { RESEND: 'on', MSG_COUNT: '50000', RATE: '', MSG_DELAY: '0' })
  await first.deleteExchange(EXCHANGE)
  await until(({ connectionLosses }) => connectionLosses > 0, 'the loss is noticed')
  const second = await catcherFor(t)
  assert.equal(await outcome, 'finished')
  const snapshot = publisher.snapshot()
  assertSumsHold(snapshot)
  assert.equal(snapshot.confirmed, 50_000)
  assert.equal(snapshot.unknown, 0)
  assert.ok(snapshot.resent > 0)
  const heard = new Set(sequences([...(await first.bodies()), ...(await second.bodies())]))
  assert.equal(heard.size, 50_000)
})

test('an exchange that is deleted mid-run and declared again is waited for', bounded, async (t) => {
  const first = await catcherFor(t)
  const { notices, until, recovered } = await publishingUnderway(t)
  await first.deleteExchange(EXCHANGE)
  await until(({ connectionLosses }) => connectionLosses > 0, 'the loss is noticed')
  await catcherFor(t)
  assertSumsHold(await recovered())
  assert.ok(notices.some((text) => text.includes(`The exchange \`${EXCHANGE}\` does not exist`)))
})

test('an exchange that stays deleted ends publishing after AMQP_WAIT_MS', bounded, async (t) => {
  const catcher = await catcherFor(t)
  const { publisher, outcome } = await publishingUnderway(t, { AMQP_WAIT_MS: '1000' })
  await catcher.deleteExchange(EXCHANGE)
  assert.equal(await outcome, 'lost')
  assert.equal(publisher.lostBecause?.code, 'exchange-missing')
  assertSumsHold(publisher.snapshot())
})

test('a permission that is revoked mid-run ends publishing with the refusal', bounded, async (t) => {
  await catcherFor(t)
  await node.ctl('add_user', 'sender', 'sesame')
  await node.ctl('set_permissions', 'sender', '', '.*', '.*')
  const url = node.url.replace('guest:guest', 'sender:sesame')
  const { publisher, outcome } = await publishingUnderway(t, { AMQP_ADDR: url })
  await node.ctl('set_permissions', 'sender', '', '', '')
  // The broker remembers what a channel was allowed; it asks again for a new one.
  await closeConnection('fanfare test publisher')
  assert.equal(await outcome, 'lost')
  assert.equal(publisher.lostBecause?.code, 'broker-access-refused')
  assert.doesNotMatch(publisher.lostBecause.message, /sesame/)
  assertSumsHold(publisher.snapshot())
})

test('a broker that does not read makes the publisher wait for drain; nothing is sent twice', bounded, async (t) => {
  const catcher = await catcherFor(t)
  const { publisher, until } = publishing({ MSG_COUNT: '600', RATE: '10000', MSG_SIZE: '400000' })
  t.after(() => publisher.close())
  await publisher.open(never)
  node.freeze()
  const outcome = publisher.publish(never)
  try {
    await until(({ obstacle }) => obstacle === 'drain', 'the socket is full')
  } finally {
    node.resume()
  }
  assert.equal(await outcome, 'finished')
  assert.equal(publisher.snapshot().confirmed, 600)
  assert.deepEqual(sequences(await catcher.bodies()), [...Array(600).keys()])
})

test('a broker that hangs is noticed by its missing heartbeats, and used again when it is back', bounded, async (t) => {
  await catcherFor(t)
  const { until, notices, recovered } = await publishingUnderway(t, { AMQP_ADDR: `${node.url}?heartbeat=1` })
  node.freeze()
  try {
    await until(({ connectionLosses }) => connectionLosses > 0, 'the loss is noticed')
  } finally {
    node.resume()
  }
  assertSumsHold(await recovered())
  assert.match(notices[0]!, /Heartbeat timeout/)
})

test('an exchange that appears later is waited for', bounded, async (t) => {
  const { publisher } = publishing({ AMQP_EXCHANGE: 'later', MSG_COUNT: '1' })
  t.after(() => publisher.close())
  const opened = publisher.open(never)
  const catcher = await catcherFor(t, 'later')
  await opened
  assert.equal(await publisher.publish(never), 'finished')
  assert.equal((await catcher.bodies()).length, 1)
})

test('AMQP_DECLARE declares the exchange as rango would, so that rango’s own declaration is accepted', bounded, async (t) => {
  const { publisher } = publishing({ AMQP_EXCHANGE: 'declared', AMQP_DECLARE: 'topic' })
  t.after(() => publisher.close())
  await publisher.open(never)
  await catcherFor(t, 'declared')
})

test('what is wrong at the start has a code and a sentence of its own', bounded, async (t) => {
  const plain = new URL(node.url)
  const tls = new URL(node.addresses.TEST_AMQPS_ADDR!)
  await t.test('wrong password', () =>
    assertOpenFails(`amqp://guest:sesame@127.0.0.1:${plain.port}`, 'broker-access-refused', /login of `guest`/),
  )
  await t.test('virtual host missing', () => assertOpenFails(`${node.url}/nowhere`, 'broker-vhost-missing', /`nowhere`/))
  await t.test('a trailing slash makes another virtual host', () =>
    assertOpenFails(`${node.url}/%2f/`, 'broker-vhost-missing', /slash at the end/),
  )
  await t.test('nothing listens', () =>
    assertOpenFails('amqp://127.0.0.1:1', 'broker-unreachable', /Nothing listens at amqp:\/\/127\.0\.0\.1:1/),
  )
  await t.test('no such host', () => assertOpenFails('amqp://nowhere.invalid', 'broker-unreachable', /`nowhere\.invalid`/))
  await t.test('TLS on the plain port', () => assertOpenFails(`amqps://127.0.0.1:${plain.port}`, 'broker-tls', /speaks plain AMQP/))
  await t.test('plain on the TLS port', () => assertOpenFails(`amqp://127.0.0.1:${tls.port}`, 'broker-tls', /expects TLS/))
  await t.test('a certificate of no known authority', () => assertOpenFails(tls.href, 'broker-tls', /TLS_CA/))
  await t.test('exchange missing', () =>
    assertOpenFails(node.url, 'exchange-missing', /`nobody` does not exist/, { AMQP_EXCHANGE: 'nobody' }),
  )
  await t.test('exchange declared otherwise', () =>
    assertOpenFails(node.url, 'exchange-mismatch', /declared otherwise/, { AMQP_EXCHANGE: 'amq.topic', AMQP_DECLARE: 'topic' }),
  )
  await t.test('exchange that may not be declared', () =>
    assertOpenFails(node.url, 'broker-access-refused', /reserved prefix/, { AMQP_EXCHANGE: 'amq.mine', AMQP_DECLARE: 'topic' }),
  )
  await t.test('an HTTP port', async () => {
    const web = createServer((_, response) => response.end()).listen(0, '127.0.0.1')
    await new Promise((resolve) => web.once('listening', resolve))
    try {
      await assertOpenFails(`amqp://127.0.0.1:${(web.address() as AddressInfo).port}`, 'broker-not-amqp', /HTTP server/)
    } finally {
      web.close()
    }
  })
})

test('TLS works with the authority’s certificate, by name and by address', bounded, async (t) => {
  await catcherFor(t)
  const tls = { ca: readFileSync(node.addresses.TEST_AMQPS_CA!), rejectUnauthorized: true }
  const { port } = new URL(node.addresses.TEST_AMQPS_ADDR!)
  for (const host of ['localhost', '127.0.0.1']) {
    const { publisher } = publishingTo(
      `amqps://guest:guest@${host}:${port}`,
      { AMQP_EXCHANGE: EXCHANGE, MSG_COUNT: '5', MSG_DELAY: '0' },
      { tls },
    )
    await publisher.open(never)
    assert.equal(await publisher.publish(never), 'finished')
    assert.equal(publisher.snapshot().confirmed, 5)
    await publisher.close()
  }
})

test('waiting for a broker ends at once when the run is stopped', bounded, async (t) => {
  const { publisher } = publishingTo('amqp://127.0.0.1:1', { AMQP_WAIT_MS: '60000' })
  t.after(() => publisher.close())
  const stop = new AbortController()
  const opened = publisher.open(stop.signal)
  stop.abort()
  await assert.rejects(opened)
})

/** As an operator does: by the name the connection shows, with a reason. */
async function closeConnection(name: string): Promise<void> {
  const rows = await node.ctl('list_connections', 'pid', 'client_properties')
  const row = rows.split('\n').find((line) => line.includes(name))
  assert.ok(row !== undefined, `no connection is called ${name}`)
  await node.ctl('close_connection', row.split('\t')[0]!, 'operator says no')
}
