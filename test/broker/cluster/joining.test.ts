import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { parseAmqpAddress } from '../../../src/broker/amqp-address.ts'
import { controlExchange } from '../../../src/cluster/group.ts'
import { Replica } from '../../../src/cluster/replica.ts'
import { loadSettings } from '../../../src/config/load.ts'
import { emptySnapshot } from '../../../src/measure/snapshot-merge.ts'
import { Group, timed } from '../../fixtures/group.ts'
import { type GroupStage, setGroupStage } from '../../fixtures/group-stage.ts'

const AMQP_ADDR = process.env.TEST_AMQP_ADDR ?? ''
let stage: GroupStage
before(async () => {
  stage = await setGroupStage(AMQP_ADDR)
})
after(() => stage.close())

const small = () => ({ ...stage.settings, WS_POOL_SIZE: '20', MSG_COUNT: '40' })

test('without REPLICAS everybody who joins before it is quiet takes part', async () => {
  const group = new Group({ settings: small(), replicas: 2, plan: { REPLICAS: '', JOIN_SETTLE_MS: '3000' } })
  await group.coordinator.said(/has joined/)
  group.join()
  const { coordinator } = await group.ended()
  assert.equal(coordinator.exitCode, 0, coordinator.stdout)
  assert.deepEqual([coordinator.report?.replicas.length, coordinator.report?.clients.ready], [3, 60])
})

test('a replica that was there before its coordinator waits for it', async () => {
  const group = new Group({ settings: small(), replicas: 1, plan: 'later' })
  await group.replicas[0]!.said(/metrics at/)
  group.lead({ REPLICAS: '1' })
  const { coordinator, replicas } = await group.ended()
  assert.equal(coordinator.exitCode, 0, coordinator.stdout)
  assert.equal(replicas[0]!.exitCode, 0)
})

test('when not enough replicas join in time, both sides end with exit code 3 and say who was there', async () => {
  const group = new Group({ settings: small(), replicas: 1, plan: { REPLICAS: '2', JOIN_TIMEOUT_MS: '3000' } })
  const { coordinator, replicas } = await group.ended()
  assert.deepEqual([coordinator.exitCode, replicas[0]?.exitCode], [3, 3])
  assert.deepEqual(coordinator.report?.verdict.reasons[0]?.code, 'join-timeout')
  assert.match(coordinator.report!.verdict.reasons[0]!.text, /Expected 2 replicas \(REPLICAS\).*got 1 \(/)
  assert.match(replicas[0]!.stderr, /Expected 2 replicas/)
})

test('a replica that finds nobody to lead it ends with exit code 3 and names the group', async () => {
  const group = new Group({ settings: { ...small(), JOIN_TIMEOUT_MS: '1500' }, replicas: 1, plan: 'later' })
  const { exitCode, stderr } = await group.replicas[0]!.ended
  assert.equal(exitCode, 3)
  assert.match(stderr, new RegExp(`Nobody leads the group \`${group.name}\` \\(RUN_GROUP\\)`))
})

test('a second coordinator in a group is refused, and the first goes on undisturbed', async () => {
  const group = new Group({ settings: small(), replicas: 1 })
  await group.coordinator.said(/has joined/)
  const rival = await group.rival().ended
  assert.equal(rival.exitCode, 3)
  assert.deepEqual(
    rival.report?.verdict.reasons.map(({ code }) => code),
    ['group-taken'],
  )
  const { coordinator } = await group.ended()
  assert.equal(coordinator.exitCode, 0, coordinator.stdout)
})

test('two groups on one broker do not see each other', async () => {
  const groups = [1, 2].map((replicas) => new Group({ settings: small(), replicas }))
  const ends = await Promise.all(groups.map((group) => group.ended()))
  assert.deepEqual(
    ends.map(({ coordinator }) => [coordinator.exitCode, coordinator.report?.replicas.length, coordinator.report?.deliveries.foreign]),
    [
      [0, 1, 0],
      [0, 2, 0],
    ],
  )
})

test('who joins when probes are on their way is refused, and named in the report', async () => {
  const group = new Group({ settings: { ...small(), MSG_COUNT: '300' }, replicas: 1, plan: { REPLICAS: '', JOIN_SETTLE_MS: '500' } })
  await group.phase('publish')
  const late = await group.join().ended
  assert.equal(late.exitCode, 3)
  assert.match(late.stderr, /The run has begun without it/)
  const { coordinator } = await group.ended()
  assert.equal(coordinator.exitCode, 0, coordinator.stdout)
  assert.deepEqual(
    coordinator.report?.verdict.warnings.map(({ code }) => code).filter((code) => code.startsWith('replica')),
    ['replica-refused'],
  )
})

test('a replica of another version is refused with a sentence', async () => {
  const group = new Group({ settings: small(), replicas: 0, plan: { REPLICAS: '1' } })
  const { settings } = loadSettings({ env: { ...stage.settings, RUN_GROUP: group.name }, isReplicated: true })
  const other = await Replica.serve({
    settings,
    given: [],
    name: 'old-host',
    version: '0.0.1',
    line: {
      address: parseAmqpAddress(AMQP_ADDR),
      tls: { rejectUnauthorized: true },
      connectionName: `fanfare test ${randomUUID()}`,
      exchange: controlExchange(group.name),
      waitMs: 1_000,
    },
    hold: () => assert.fail('it was refused'),
    onStanding: () => undefined,
    mainThread: emptySnapshot,
    onPhase: () => undefined,
    notice: () => undefined,
    stop: new AbortController().signal,
  })
  assert.ok(other.kind === 'abandoned' && other.failure.code === 'replica-refused')
  assert.match(other.failure.message, /The coordinator is fanfare \d+\.\d+\.\d+, this replica 0\.0\.1/)
  group.join()
  const { coordinator } = await group.ended()
  assert.equal(coordinator.exitCode, 0, coordinator.stdout)
  assert.match(coordinator.report!.verdict.warnings[0]!.text, /`old-host` was refused/)
})

test('a replica whose own settings differ follows the plan, and both sides say so', async () => {
  const group = new Group({
    settings: small(),
    replicas: 1,
    replica: () => ({ MSG_COUNT: '7', WS_TOKEN: 'hidden-token', QUIET_MS: '1000', THREADS: '1' }),
  })
  const { coordinator, replicas } = await group.ended()
  assert.equal(coordinator.report?.publish?.published, 40)
  const warning = coordinator.report?.verdict.warnings.find(({ code }) => code === 'replica-settings')
  assert.match(warning?.text ?? '', /Its own MSG_COUNT, WS_TOKEN differ/)
  assert.match(replicas[0]!.stderr, /Its own MSG_COUNT, WS_TOKEN differ/)
  assert.doesNotMatch(JSON.stringify(coordinator), /hidden-token/)
})

test('what keeps one machine from holding its share ends the run with exit code 3 and names the replica', async () => {
  const group = new Group({
    settings: small(),
    replicas: 2,
    replica: (index) => (index === 1 ? { SOURCE_ADDRESSES: '203.0.113.7' } : {}),
  })
  const { coordinator, replicas } = await group.ended()
  assert.deepEqual([coordinator.exitCode, ...replicas.map(({ exitCode }) => exitCode)], [3, 3, 3])
  const [reason] = coordinator.report!.verdict.reasons
  assert.equal(reason?.code, 'preflight-ports')
  assert.match(reason!.text, /^Replica \d \(.*203\.0\.113\.7/s)
})

test('nothing of a run is left on the broker', async () => {
  const group = new Group({ settings: small(), replicas: 2 })
  await group.ended()
  const second = new Group({ settings: { ...small(), RUN_GROUP: group.name }, replicas: 1 })
  const { value, tookMs } = await timed(second.ended())
  assert.equal(value.coordinator.exitCode, 0, value.coordinator.stdout)
  assert.ok(tookMs < 60_000)
})
