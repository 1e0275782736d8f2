import assert from 'node:assert/strict'
import { test } from 'node:test'
import { differingSettings, givenDigests, planTexts, settingsFromPlan } from '../../../src/cluster/shared-settings.ts'
import { isUnreadable, pack, unpack } from '../../../src/cluster/wire/parcel.ts'
import { planFromMessage, planMessage, planToMessage } from '../../../src/cluster/wire/plan-codec.ts'
import { loadSettings } from '../../../src/config/load.ts'
import { makePlan } from '../../../src/config/plan.ts'
import { type SettingName, type Settings, settingsTable } from '../../../src/config/settings.ts'

const loaded = (env: Record<string, string>) => loadSettings({ env, isReplicated: true })
const givenIn = ({ sources }: ReturnType<typeof loaded>) =>
  (Object.keys(sources) as SettingName[]).filter((name) => sources[name] === 'environment')

const rich = {
  WS_POOL_SIZE: '300',
  MSG_COUNT: '7',
  MSG_DELAY: '2.5',
  WS_ADDR: 'ws://a:1/?x=1,ws://b:2/',
  WS_HEADERS: 'Cookie: a=1; X-Key: b',
  WS_TOKEN: 'secret-token',
  AMQP_ADDR: 'amqp://user:secret@broker:5672/v',
  SOURCE_ADDRESSES: '127.0.0.2-127.0.0.4',
  THRESHOLDS: 'p99<250ms',
  STREAM_SCOPE: 'replica',
  CANARY: 'off',
  LINGER_MS: '20000',
  THREADS: '2',
}

test('a plan arrives as it was made, with the replica’s own settings where they are its own', () => {
  const { settings } = loaded(rich)
  const plan = makePlan(settings, { runClockOffsetUs: 12.5, runId: 'k3v9q2x1', clientsByReplica: [300, 20] })
  const own = loaded({ AMQP_ADDR: 'amqp://other:1', THREADS: '3', WS_POOL_SIZE: '20', MSG_COUNT: '99', METRICS_PORT: '0' }).settings
  const arrived = unpack(planMessage, pack(planMessage, planToMessage(plan, 2)))
  assert.ok(!isUnreadable(arrived))
  const { amqpAddr, threads, wsPoolSize, sourceAddresses, metricsPort } = own
  assert.deepEqual(planFromMessage(arrived, own), {
    ...plan,
    replica: 2,
    settings: { ...settings, amqpAddr, threads, wsPoolSize, sourceAddresses, metricsPort },
  })
})

test('every default survives, and every setting is either the plan’s or a process’s own', () => {
  const { settings } = loaded({})
  assert.deepEqual(planTexts(settings), {})
  assert.deepEqual(settingsFromPlan({}, settings), settings)
  const changed = Object.fromEntries(Object.keys(settingsTable).map((name) => [name, undefined])) as unknown as Settings
  const restored = settingsFromPlan({}, changed)!
  const own = Object.keys(settingsTable).filter(
    (name) => restored[name as SettingName] === undefined && settings[name as SettingName] !== undefined,
  )
  assert.deepEqual(own.sort(), [
    'amqpAddr',
    'joinSettleMs',
    'joinTimeoutMs',
    'logLevel',
    'metricsHost',
    'metricsPort',
    'reportDir',
    'runGroup',
    'sourceAddresses',
    'wsPoolSize',
  ])
})

test('no way to a broker and no password of one leaves the coordinator', () => {
  const texts = JSON.stringify(planTexts(loaded({ ...rich, RABBITMQ_API_URL: 'http://user:hidden@broker:15672' }).settings))
  assert.doesNotMatch(texts, /user|hidden|amqp:/)
})

test('texts that break the rules of their settings, or belong to none, are refused', () => {
  const { settings } = loaded({})
  assert.equal(settingsFromPlan({ MSG_COUNT: 'many' }, settings), undefined)
  assert.equal(settingsFromPlan({ METRICS_PORT: '1' }, settings), undefined)
  assert.equal(settingsFromPlan({ NONSENSE: '1' }, settings), undefined)
})

test('a replica’s differing settings are named by digest; its own ones and equal ones are not', () => {
  const plan = loaded({ MSG_COUNT: '7', WS_TOKEN: 'a', WS_POOL_SIZE: '5' }).settings
  const replica = loaded({ MSG_COUNT: '8', WS_TOKEN: 'b', WS_POOL_SIZE: '6', QUIET_MS: '5000', THREADS: '2', MSG_DELAY: '30' })
  const digests = givenDigests(replica.settings, givenIn(replica))
  // MSG_DELAY=30 is what the plan does without being told, but nobody told it: named rather than guessed.
  assert.deepEqual(differingSettings(digests, plan), ['MSG_COUNT', 'MSG_DELAY', 'WS_TOKEN'])
  assert.doesNotMatch(JSON.stringify(digests), /"[ab8]"/)
})
