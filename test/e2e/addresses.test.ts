/** The forms that WS_ADDR and AMQP_ADDR may have, tried through the whole program. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { CERTIFICATE_FILE, type Front, ipv6Front, tlsFront } from '../doubles/tcp-front.ts'
import { fanfare } from '../fixtures/fanfare.ts'
import { type Stage, setStage } from '../fixtures/stage.ts'

const small = { WS_POOL_SIZE: '5', MSG_COUNT: '5', MSG_DELAY: '5', AMQP_WAIT_MS: '10000' }
const ALL = 25

let stage: Stage
let fronts: { target: Front; broker: Front; target6: Front; broker6: Front }
before(async () => {
  stage = await setStage()
  const target = Number(new URL(stage.target.url).port)
  fronts = {
    target: await tlsFront(target),
    broker: await tlsFront(stage.broker.port),
    target6: await ipv6Front(target),
    broker6: await ipv6Front(stage.broker.port),
  }
})
after(async () => {
  for (const front of Object.values(fronts)) front.close()
  await stage.close()
})

const run = (settings: Record<string, string>) => fanfare(['run'], { ...small, ...stage.settings, ...settings })

describe('wss', { concurrency: 4 }, () => {
  test('a certificate that nobody vouches for is refused, with the certificate as the cause', async () => {
    const { exitCode, stdout } = await run({ WS_ADDR: `wss://127.0.0.1:${fronts.target.port}/` })
    assert.equal(exitCode, 3)
    assert.match(stdout, /tls 5 \(self-signed certificate\)/)
  })

  test('TLS_CA vouches for it, by name and by address', async () => {
    for (const host of ['localhost', '127.0.0.1']) {
      const { exitCode, report, stderr } = await run({ WS_ADDR: `wss://${host}:${fronts.target.port}/`, TLS_CA: CERTIFICATE_FILE })
      assert.equal(exitCode, 0, stderr)
      assert.equal(report?.deliveries.delivered, ALL)
    }
  })

  test('TLS_INSECURE takes any', async () => {
    const { exitCode, report } = await run({ WS_ADDR: `wss://127.0.0.1:${fronts.target.port}/`, TLS_INSECURE: 'on' })
    assert.equal(exitCode, 0)
    assert.equal(report?.deliveries.delivered, ALL)
  })

  test('spoken to a plain port it fails as TLS', async () => {
    const { exitCode, stdout } = await run({ WS_ADDR: stage.target.url.replace('ws:', 'wss:') })
    assert.equal(exitCode, 3)
    assert.match(stdout, /: tls 5 \(/)
  })

  test('plain WebSocket spoken to a TLS port ends before the upgrade', async () => {
    const { exitCode, stdout } = await run({ WS_ADDR: `ws://127.0.0.1:${fronts.target.port}/` })
    assert.equal(exitCode, 3)
    assert.match(stdout, /: (reset-before-upgrade|bad-upgrade) 5/)
  })
})

describe('amqps', { concurrency: 4 }, () => {
  test('a certificate that nobody vouches for is refused, with both remedies', async () => {
    const { exitCode, stdout } = await run({ AMQP_ADDR: `amqps://guest:guest@127.0.0.1:${fronts.broker.port}` })
    assert.equal(exitCode, 3)
    assert.match(stdout, /certificate of amqps:.* was not accepted .*TLS_CA, or accept any with TLS_INSECURE/)
  })

  test('TLS_CA vouches for it; TLS_INSECURE takes any', async () => {
    for (const trust of [{ TLS_CA: CERTIFICATE_FILE }, { TLS_INSECURE: 'on' }]) {
      const { exitCode, stderr } = await run({ AMQP_ADDR: `amqps://guest:guest@localhost:${fronts.broker.port}`, ...trust })
      assert.equal(exitCode, 0, stderr)
    }
  })
})

describe('other forms', { concurrency: 4 }, () => {
  test('IPv6 addresses stand in brackets, for target, broker and metrics', async () => {
    const settings = {
      WS_ADDR: `ws://[::1]:${fronts.target6.port}/`,
      AMQP_ADDR: `amqp://guest:guest@[::1]:${fronts.broker6.port}`,
      METRICS_HOST: '::1',
    }
    const { exitCode, report, stderr } = await run(settings)
    assert.equal(exitCode, 0, stderr)
    assert.equal(report?.deliveries.delivered, ALL)
    assert.match(stderr, /metrics at http:\/\/\[::1\]:\d+\/metrics/)
  })

  test('a query string is kept, commas and all, and our own stream is added to it', async () => {
    const { exitCode, report } = await run({ WS_ADDR: `${stage.target.url}?stream=public.a,public.b&x=%2C1` })
    assert.equal(exitCode, 0)
    assert.equal(report?.deliveries.delivered, ALL)
  })

  test('several targets share the clients', async () => {
    const { exitCode, report } = await run({ WS_ADDR: `${stage.target.url}?stream=a,b,${stage.target.url}` })
    assert.equal(exitCode, 0)
    assert.equal(report?.deliveries.delivered, ALL)
  })
})
