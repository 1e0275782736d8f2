import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { createServer, type Server } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { type Broker, startBroker } from '../../src/embedded/broker.ts'
import { startTarget, type Target } from '../../src/target/target.ts'
import { fanfare } from '../fixtures/fanfare.ts'
import { type Stage, setStage } from '../fixtures/stage.ts'

const small = { WS_POOL_SIZE: '20', MSG_COUNT: '10', MSG_DELAY: '5' }

/** A loopback port on which nothing listens. */
async function deadPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

describe('a run that cannot be carried out ends with exit code 3 and one plain sentence', () => {
  let stage: Stage
  before(async () => {
    stage = await setStage()
  })
  after(() => stage.close())

  test('nothing at WS_ADDR', async () => {
    const port = await deadPort()
    const { exitCode, stdout, report } = await fanfare(['run'], { ...small, ...stage.settings, WS_ADDR: `ws://127.0.0.1:${port}/` })
    assert.equal(exitCode, 3)
    assert.match(stdout, new RegExp(`could not connect to ws://127\\.0\\.0\\.1:${port}/: refused 20`))
    assert.equal(report?.verdict.reasons[0]?.code, 'connect-failed')
  })

  test('nothing at AMQP_ADDR, and the password stays out of sight', async () => {
    const port = await deadPort()
    const address = `amqp://alice:s3cret@127.0.0.1:${port}`
    const { exitCode, stdout, stderr, report } = await fanfare(['run'], {
      ...small,
      ...stage.settings,
      AMQP_ADDR: address,
      AMQP_WAIT_MS: '300',
    })
    assert.equal(exitCode, 3)
    assert.equal(report?.verdict.reasons[0]?.code, 'broker-unreachable')
    assert.match(stdout, new RegExp(`127\\.0\\.0\\.1:${port}`))
    assert.doesNotMatch(stdout + stderr + JSON.stringify(report), /s3cret/)
  })

  test('no such exchange', async () => {
    const { exitCode, report } = await fanfare(['run'], { ...small, ...stage.settings, AMQP_EXCHANGE: 'nowhere', AMQP_WAIT_MS: '300' })
    assert.equal(exitCode, 3)
    assert.equal(report?.verdict.reasons[0]?.code, 'exchange-missing')
  })

  test('an exchange of another type', async () => {
    const { exitCode, report } = await fanfare(['run'], { ...small, ...stage.settings, AMQP_DECLARE: 'fanout' })
    assert.equal(exitCode, 3)
    assert.equal(report?.verdict.reasons[0]?.code, 'exchange-mismatch')
  })

  test('a routing key that leads nowhere', async () => {
    const settings = { AMQP_EXCHANGE: 'amq.direct', CANARY_TIMEOUT_MS: '500' }
    const { exitCode, report } = await fanfare(['run'], { ...small, ...stage.settings, ...settings })
    assert.equal(exitCode, 3)
    assert.equal(report?.verdict.reasons[0]?.code, 'canary-unroutable')
  })

  test('a key that is routed but means another stream to the target', async () => {
    const settings = { AMQP_ROUTING_KEY: 'public.somebody-else', CANARY_TIMEOUT_MS: '500' }
    const { exitCode, stdout, report } = await fanfare(['run'], { ...small, ...stage.settings, ...settings })
    assert.equal(exitCode, 3)
    assert.equal(report?.verdict.reasons[0]?.code, 'canary-not-broadcast')
    assert.match(stdout, /0 of 20 ready clients heard it/)
  })

  test('the two lines of the seed tool are there all the same', async () => {
    const { stdout } = await fanfare(['run'], { ...small, ...stage.settings, AMQP_EXCHANGE: 'nowhere', AMQP_WAIT_MS: '300' })
    assert.match(stdout, /Received 0 messages\nMean delivery time is n\/a ms\n$/)
  })
})

describe('a target that accepts and stays silent', () => {
  let server: Server
  let broker: Broker
  let exchangeOwner: Target
  before(async () => {
    broker = await startBroker()
    exchangeOwner = await startTarget({ amqp: broker.url })
    server = createServer(() => undefined)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  })
  after(async () => {
    server.close()
    await exchangeOwner.close()
    await broker.close()
  })

  test('ends the run soon after CONNECT_TIMEOUT_MS with the class handshake-timeout', async () => {
    const { port } = server.address() as AddressInfo
    const settings = { AMQP_ADDR: broker.url, WS_ADDR: `ws://127.0.0.1:${port}/`, CONNECT_TIMEOUT_MS: '500' }
    const { exitCode, report } = await fanfare(['run'], { ...small, ...settings })
    assert.equal(exitCode, 3)
    assert.equal(report?.clients.errorsByCode['handshake-timeout'], 20)
  })
})

describe('settings that make no sense', () => {
  test('are all named at once, with source, rule and value, and exit code 2', async () => {
    const { exitCode, stderr, stdout } = await fanfare(['run', '--msg-delay=-1', '--no-such-flag=1'], {
      WS_POOL_SIZE: 'many',
      MSG_COUNT: '0',
    })
    assert.equal(exitCode, 2)
    assert.equal(stdout, '')
    for (const part of ['WS_POOL_SIZE', '`many`', 'MSG_COUNT', '`0`', 'MSG_DELAY', '--msg-delay', '--no-such-flag']) {
      assert.ok(stderr.includes(part), `${part} is named in:\n${stderr}`)
    }
  })

  test('a variable that is nearly a setting is warned about', async () => {
    const { stderr } = await fanfare(['doctor'], { WS_POOLSIZE: '5' })
    assert.match(stderr, /WS_POOLSIZE .*WS_POOL_SIZE/)
  })
})
