/** Addresses at which something else answers than expected: exit code 3 within the stated times, and a sentence that helps. */
import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { startBroker } from '../../src/embedded/broker.ts'
import { drips, floods, says, saysStatus, startOddServer } from '../doubles/odd-servers.ts'
import { fanfare } from '../fixtures/fanfare.ts'
import { type Stage, setStage } from '../fixtures/stage.ts'

const small = { WS_POOL_SIZE: '5', MSG_COUNT: '5', MSG_DELAY: '5', CONNECT_TIMEOUT_MS: '700', AMQP_WAIT_MS: '10000' }
const impatient = { ...small, AMQP_WAIT_MS: '700' }
const silent = (): void => undefined
const cut = (socket: Socket): void => void socket.destroy()

let stage: Stage
before(async () => {
  stage = await setStage()
})
after(() => stage.close())

describe('at WS_ADDR', { concurrency: 4 }, () => {
  const rows: [what: string, answer: (socket: Socket) => void, sentence: RegExp][] = [
    ['a web server that answers 200', saysStatus('200 OK'), /http-status 5 \(http 200 OK\)/],
    ['a redirection, which is not followed', saysStatus('301 Moved Permanently'), /http-status 5 \(http 301 Moved Permanently\)/],
    ['a target that wants a token', saysStatus('401 Unauthorized'), /http-status 5 \(http 401 Unauthorized\)/],
    ['a target that is full', saysStatus('503 Service Unavailable'), /http-status 5 \(http 503 Service Unavailable\)/],
    ['something that accepts and stays silent', silent, /handshake-timeout 5 \(.* did not answer the handshake within 700 ms\)/],
    ['something that begins an answer and never ends it', drips, /handshake-timeout 5/],
    ['something that closes at once', cut, /reset-before-upgrade 5/],
    ['something that sends without end', floods, /bad-upgrade 5 \(the answer is not HTTP\/1\.1\)/],
    ['a mail server', (socket) => socket.write('220 mail ESMTP\r\n'), /bad-upgrade 5 \(the answer is not HTTP\/1\.1\)/],
  ]
  for (const [what, answer, sentence] of rows) {
    test(what, async () => {
      const odd = await startOddServer(answer)
      const { exitCode, stdout, report } = await fanfare(['run'], { ...small, ...stage.settings, WS_ADDR: `ws://127.0.0.1:${odd.port}/` })
      odd.close()
      assert.equal(exitCode, 3)
      assert.equal(report?.verdict.reasons[0]?.code, 'connect-failed')
      assert.match(stdout, new RegExp(`^NOT RUN: The first 5 clients could not connect to ws://127\\.0\\.0\\.1:${odd.port}/: `))
      assert.match(stdout, sentence)
    })
  }

  test('a name that is unknown', async () => {
    const { exitCode, stdout } = await fanfare(['run'], { ...small, ...stage.settings, WS_ADDR: 'ws://nowhere.invalid/' })
    assert.equal(exitCode, 3)
    assert.match(stdout, /to ws:\/\/nowhere\.invalid\/: dns 5 \(nowhere\.invalid cannot be resolved \(\w+\)\)/)
  })
})

describe('at AMQP_ADDR', { concurrency: 4 }, () => {
  const rows: [what: string, answer: (socket: Socket) => void, code: string, sentence: RegExp][] = [
    ['a web server', saysStatus('400 Bad Request'), 'broker-not-amqp', /is an HTTP server: RabbitMQ takes AMQP on 5672/],
    ['a shell', (socket) => socket.write('SSH-2.0-x\r\n'), 'broker-not-amqp', /does not speak AMQP: it answers `SSH-2\.0-x`/],
    ['AMQP 1.0', says('AMQP\x00\x01\x00\x00'), 'broker-not-amqp', /another version of AMQP than 0-9-1/],
    ['something that sends without end', floods, 'broker-not-amqp', /does not speak AMQP/],
    ['something silent', silent, 'broker-unreachable', /did not answer within \d+ ms/],
    ['half a frame', says(Buffer.from([1, 0, 0, 0, 0, 0, 9, 0, 10])), 'broker-unreachable', /did not answer within \d+ ms/],
    ['something that closes at once', cut, 'broker-unreachable', /closes connections without a word/],
  ]
  for (const [what, answer, code, sentence] of rows) {
    test(what, async () => {
      const odd = await startOddServer(answer)
      const AMQP_ADDR = `amqp://alice:s3cret@127.0.0.1:${odd.port}`
      const { exitCode, stdout, stderr, report } = await fanfare(['run'], { ...impatient, ...stage.settings, AMQP_ADDR })
      odd.close()
      assert.equal(exitCode, 3)
      assert.equal(report?.verdict.reasons[0]?.code, code, stdout)
      assert.match(stdout, sentence)
      assert.match(stdout, new RegExp(`amqp://127\\.0\\.0\\.1:${odd.port}`))
      assert.doesNotMatch(stdout + stderr + JSON.stringify(report), /s3cret/)
    })
  }

  test('a name that is unknown', async () => {
    const { exitCode, stdout } = await fanfare(['run'], {
      ...impatient,
      ...stage.settings,
      AMQP_ADDR: 'amqp://alice:s3cret@nowhere.invalid',
    })
    assert.equal(exitCode, 3)
    assert.match(stdout, /The broker's host name `nowhere\.invalid` could not be resolved/)
  })

  test('a broker that refuses the login', async () => {
    const AMQP_ADDR = stage.broker.url.replace('guest:guest', 'guest:s3cret')
    const { exitCode, stdout, stderr, report } = await fanfare(['run'], { ...impatient, ...stage.settings, AMQP_ADDR })
    assert.equal(exitCode, 3)
    assert.equal(report?.verdict.reasons[0]?.code, 'broker-access-refused')
    assert.match(stdout, /refused the login of `guest`/)
    assert.doesNotMatch(stdout + stderr + JSON.stringify(report), /s3cret/)
  })
})

test('a password may hold anything when it is percent-encoded, and never shows', async () => {
  const password = 'p@ss:/?#[]%€ "x'
  const broker = await startBroker({ user: 'ünal', password })
  const own = await setStage({ amqp: broker.url })
  const AMQP_ADDR = `amqp://${encodeURIComponent('ünal')}:${encodeURIComponent(password)}@127.0.0.1:${broker.port}`
  const { exitCode, stdout, stderr, report } = await fanfare(['run'], { ...small, WS_ADDR: own.target.url, AMQP_ADDR })
  await own.close()
  await broker.close()
  assert.equal(exitCode, 0, stderr)
  assert.equal(report?.deliveries.delivered, 25)
  const shown = stdout + stderr + JSON.stringify(report)
  for (const secret of [password, encodeURIComponent(password), JSON.stringify(password).slice(1, -1)]) {
    assert.ok(!shown.includes(secret), `${secret} does not show`)
  }
})

test('a metrics port that is taken is refused before anything is dialed', async () => {
  const target = await startOddServer(silent)
  const broker = await startOddServer(silent)
  const settings = {
    WS_ADDR: `ws://127.0.0.1:${target.port}/`,
    AMQP_ADDR: `amqp://127.0.0.1:${broker.port}`,
    METRICS_PORT: String(target.port),
  }
  const { exitCode, stderr } = await fanfare(['run'], { ...small, ...settings })
  target.close()
  broker.close()
  assert.equal(exitCode, 3)
  assert.match(stderr, new RegExp(`The metrics address 127\\.0\\.0\\.1:${target.port} is taken`))
  assert.equal(target.connections + broker.connections, 0)
})

test('a report folder that cannot be written is refused before anything is dialed', async () => {
  const target = await startOddServer(silent)
  const settings = { ...stage.settings, WS_ADDR: `ws://127.0.0.1:${target.port}/`, REPORT_DIR: '/proc/nowhere' }
  const { exitCode, stderr } = await fanfare(['run'], { ...small, ...settings })
  target.close()
  assert.equal(exitCode, 3)
  assert.match(stderr, /a folder that can be written \(REPORT_DIR\), got \/proc\/nowhere/)
  assert.equal(target.connections, 0)
})
