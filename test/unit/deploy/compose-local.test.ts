import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parse } from 'yaml'
import { settingsTable } from '../../../src/config/settings.ts'
import { textOf } from '../tidy/project-files.ts'

interface Service {
  readonly build?: string
  readonly image?: string
  readonly command?: readonly string[]
  readonly container_name?: string
  readonly environment: Readonly<Record<string, string | null>>
  readonly ports?: readonly string[]
  readonly expose?: readonly string[]
  readonly volumes?: readonly string[]
  readonly extra_hosts?: readonly string[]
  readonly healthcheck?: { readonly test: readonly string[] }
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
  readonly ulimits?: { readonly nofile: { readonly soft: number; readonly hard: number } }
}

const file = parse(textOf('docker-compose.local.yml'), { merge: true }) as { readonly services: Readonly<Record<string, Service>> }
const service = (name: string): Service => file.services[name] ?? assert.fail(`there is no service ${name}`)
const { rabbitmq, target, fanfare } = { rabbitmq: service('rabbitmq'), target: service('target'), fanfare: service('fanfare') }

/** `${NAME:-value}` with NAME unset. */
const withoutEnvironment = (text: string): string => text.replace(/\$\{\w+:-([^}]*)\}/g, '$1')

/** Those the image sets for its own surroundings. */
const OF_THE_IMAGE = ['METRICS_HOST', 'REPORT_DIR']

describe('docker-compose.local.yml', () => {
  test('holds RabbitMQ, the reference target and one fanfare, both of ours built from this folder', () => {
    assert.deepEqual(Object.keys(file.services), ['rabbitmq', 'target', 'fanfare'])
    assert.equal(target.build, '.')
    assert.equal(fanfare.build, '.')
    assert.deepEqual(target.command?.slice(0, 1), ['target'])
    assert.deepEqual(fanfare.command, ['run'])
    assert.match(rabbitmq.image!, /^rabbitmq:\d+\.\d+-management$/)
  })

  test('runs 20,000 clients against the reference target unless told otherwise', () => {
    assert.equal(withoutEnvironment(fanfare.environment.WS_POOL_SIZE!), '20000')
    assert.equal(withoutEnvironment(fanfare.environment.WS_ADDR!), 'ws://target:8080/')
    for (const { environment } of [target, fanfare]) {
      const { username, password, host } = new URL(withoutEnvironment(environment.AMQP_ADDR!))
      assert.equal(username, rabbitmq.environment.RABBITMQ_DEFAULT_USER)
      assert.equal(password, rabbitmq.environment.RABBITMQ_DEFAULT_PASS)
      assert.equal(host, 'rabbitmq:5672')
    }
  })

  test('hands every setting on from the shell or .env, but for those of the image', () => {
    const handedOn = Object.keys(fanfare.environment)
    const settings = Object.values(settingsTable).map(({ env }) => env as string)
    assert.deepEqual(handedOn.toSorted(), settings.filter((env) => !OF_THE_IMAGE.includes(env)).toSorted())
    for (const [name, value] of Object.entries(fanfare.environment)) {
      assert.ok(value === null || value.startsWith(`\${${name}:-`), `${name} can be set from outside`)
    }
  })

  test('reaches a server on the host, and lets it consume from this RabbitMQ', () => {
    assert.deepEqual(fanfare.extra_hosts, ['host.docker.internal:host-gateway'])
    assert.deepEqual(rabbitmq.ports, ['127.0.0.1:5672:5672', '127.0.0.1:15672:15672'])
  })

  test('waits for the AMQP listener itself before anything of ours starts', () => {
    assert.match(rabbitmq.healthcheck!.test.join(' '), /\/dev\/tcp\/127\.0\.0\.1\/5672/)
    assert.equal(target.depends_on?.rabbitmq?.condition, 'service_healthy')
    assert.deepEqual(fanfare.depends_on, { rabbitmq: { condition: 'service_healthy' }, target: { condition: 'service_healthy' } })
  })

  test('starts no heavy program again and again for a health check while a run is measured', () => {
    for (const { healthcheck } of [rabbitmq, target]) assert.deepEqual(healthcheck!.test.slice(0, 2), ['CMD', 'bash'])
  })

  test('gives clients and target the descriptors they need, as plain numbers', () => {
    for (const { ulimits } of [target, fanfare]) {
      assert.equal(ulimits?.nofile.soft, ulimits?.nofile.hard)
      assert.ok(ulimits!.nofile.soft > 20_000 && Number.isSafeInteger(ulimits!.nofile.soft))
    }
  })

  test('keeps reports on a volume, and names no container and publishes no port of the tester', () => {
    assert.deepEqual(fanfare.volumes, ['reports:/reports'])
    assert.equal(fanfare.container_name, undefined)
    assert.equal(fanfare.ports, undefined)
    assert.deepEqual(fanfare.expose, ['9464'])
  })

  test('nests no variable in another: not every compose can read that', () => {
    assert.doesNotMatch(textOf('docker-compose.local.yml'), /\$\{[^}]*\$\{/)
  })
})
