import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadSettings } from '../../../src/config/load.ts'
import {
  connectDeadlineMs,
  countPerStream,
  makePlan,
  offeredLoad,
  pacePlan,
  receiverThreads,
  streamRatePerSecond,
  streamsOfClient,
} from '../../../src/config/plan.ts'

const settingsOf = (env: Record<string, string>, isReplicated = false) => loadSettings({ env, isReplicated }).settings
const planOf = (env: Record<string, string>, clientsByReplica?: number[]) =>
  makePlan(settingsOf(env, clientsByReplica !== undefined), {
    runClockOffsetUs: 0,
    runId: 'k3v9q2x1',
    ...(clientsByReplica && { clientsByReplica }),
  })

test('the pace is what was asked for, in microseconds', () => {
  const rows: [Record<string, string>, ReturnType<typeof pacePlan>][] = [
    [{}, { kind: 'open', gapUs: 30_000 }], // the seed's default
    [{ MSG_DELAY: '1.5' }, { kind: 'open', gapUs: 1_500 }],
    [{ MSG_DELAY: '0' }, { kind: 'closed' }],
    [{ RATE: '2000' }, { kind: 'open', gapUs: 500 }],
    [{ RATE: '3' }, { kind: 'open', gapUs: 1_000_000 / 3 }], // not rounded: slots would drift
  ]
  for (const [env, pace] of rows) assert.deepEqual(pacePlan(settingsOf(env)), pace)
  assert.equal(streamRatePerSecond({ kind: 'open', gapUs: 500 }), 2_000)
  assert.equal(streamRatePerSecond({ kind: 'closed' }), undefined)
})

test('the count is what was asked for, or the slots that begin within the duration', () => {
  const rows: [Record<string, string>, number | undefined][] = [
    [{}, 1_000],
    [{ MSG_COUNT: '5' }, 5],
    [{ DURATION: '10', RATE: '1000' }, 10_000],
    [{ DURATION: '0.1', RATE: '30' }, 3], // 0.1 × 30 is a little more than 3 in binary
    [{ DURATION: '1' }, 34], // 0, 30, … 990 ms
    [{ DURATION: '0.001', RATE: '1' }, 1], // never none
    [{ INJECTOR: 'none' }, undefined], // as many as are heard
    [{ INJECTOR: 'none', MSG_COUNT: '7' }, 7],
  ]
  for (const [env, count] of rows) assert.equal(countPerStream(settingsOf(env)), count, JSON.stringify(env))
})

test('one stream serves everybody by default', () => {
  const plan = planOf({ WS_POOL_SIZE: '100' })
  assert.deepEqual(plan.streams, [{ index: 0, name: 'public.k3v9q2x1', routingKey: 'public.k3v9q2x1' }])
  assert.deepEqual(plan.roster, { firstClient: 0, clients: 100 })
  assert.equal(plan.replica, 0)
})

test('names and keys are made from templates', () => {
  const plan = planOf({ STREAM: 'global.{{run}}x{{stream}}', AMQP_ROUTING_KEY: 'k.{{index}}.{{stream}}.{{run}}' })
  assert.deepEqual(plan.streams, [{ index: 0, name: 'global.k3v9q2x1x0', routingKey: 'k.0.global.k3v9q2x1x0.k3v9q2x1' }])
})

test('replicas share a stream, or get one each whose names differ', () => {
  assert.equal(planOf({}, [10, 20, 30]).streams.length, 1)
  assert.equal(planOf({}, [10, 20, 30]).roster.clients, 60)
  const own = planOf({ STREAM_SCOPE: 'replica' }, [10, 20])
  assert.deepEqual(
    own.streams.map((stream) => stream.name),
    ['public.k3v9q2x1-1', 'public.k3v9q2x1-2'],
  )
  const named = planOf({ STREAM_SCOPE: 'replica', STREAM: 'public.r{{replica}}' }, [10, 20])
  assert.deepEqual(
    named.streams.map((stream) => stream.name),
    ['public.r1', 'public.r2'],
  )
})

test('shares lie one behind the other, and a client hears its own replica’s stream', () => {
  const own = planOf({ STREAM_SCOPE: 'replica' }, [2, 3, 1])
  assert.deepEqual(own.shares, [
    { firstClient: 0, clients: 2 },
    { firstClient: 2, clients: 3 },
    { firstClient: 5, clients: 1 },
  ])
  const heard = [0, 1, 2, 3, 4, 5].map((client) => streamsOfClient(own, client).map(({ index }) => index))
  assert.deepEqual(heard, [[0], [0], [1], [1], [1], [2]])
  assert.deepEqual(streamsOfClient(planOf({}, [2, 3]), 4), planOf({}, [2, 3]).streams)
})

const namesOf = (streams: readonly { name: string }[]) => streams.map((stream) => stream.name)

test('several streams are told apart by name and share the clients evenly', () => {
  const plan = planOf({ STREAMS: '3', STREAM: 'a/{{run}}/{{index}}', AMQP_ROUTING_KEY: 'a.{{run}}.{{index}}', WS_POOL_SIZE: '9' })
  assert.deepEqual(plan.streams[2], { index: 2, name: 'a/k3v9q2x1/2', routingKey: 'a.k3v9q2x1.2' })
  const clients = Array.from({ length: 9 }, (_, client) => streamsOfClient(plan, client).map(({ index }) => index))
  // The second round of three starts one further.
  assert.deepEqual(clients.slice(0, 6).flat(), [0, 1, 2, 1, 2, 0])
  for (const { index } of plan.streams) assert.equal(clients.filter((streams) => streams.includes(index)).length, 3)
})

test('a client may have several streams, and each stream still has as many clients as any other', () => {
  const plan = planOf({ STREAMS: '5', STREAMS_PER_CLIENT: '2', WS_POOL_SIZE: '10' })
  const clients = Array.from({ length: 10 }, (_, client) => streamsOfClient(plan, client).map(({ index }) => index))
  assert.deepEqual(clients.slice(3, 6), [
    [3, 4],
    [4, 0],
    [1, 2],
  ])
  for (const { index } of plan.streams) assert.equal(clients.filter((streams) => streams.includes(index)).length, 4)
})

test('streams and targets are independent: every stream has clients at every target', () => {
  const plan = planOf({ STREAMS: '2', WS_POOL_SIZE: '8' })
  const pairs = Array.from({ length: 8 }, (_, client) => `${client % 2} ${streamsOfClient(plan, client)[0]!.index}`)
  assert.equal(new Set(pairs).size, 4)
})

test('the default name tells several streams apart by itself', () => {
  assert.deepEqual(namesOf(planOf({ STREAMS: '2' }).streams), ['public.k3v9q2x1-0', 'public.k3v9q2x1-1'])
  assert.deepEqual(namesOf(planOf({ STREAMS: '2', STREAM_SCOPE: 'replica' }, [5, 5]).streams), [
    'public.k3v9q2x1-0',
    'public.k3v9q2x1-1',
    'public.k3v9q2x1-2',
    'public.k3v9q2x1-3',
  ])
})

test('with a scope of replica a client has streams of its own replica only', () => {
  const plan = planOf({ STREAM_SCOPE: 'replica', STREAMS: '2', STREAM: 'r{{replica}}.{{index}}' }, [3, 4])
  // Clients 3 to 6 are those of the second replica.
  assert.deepEqual(
    [3, 4, 5, 6].map((client) => namesOf(streamsOfClient(plan, client)).join()),
    ['r2.2', 'r2.2', 'r2.3', 'r2.3'],
  )
})

test('a run id is drawn when none is named', () => {
  const drawn = () => makePlan(settingsOf({}), { runClockOffsetUs: 0 }).runId
  assert.match(drawn(), /^[0-9a-z]{8}$/)
  assert.notEqual(drawn(), drawn())
  assert.equal(makePlan(settingsOf({ RUN_ID: 'abcdefgh' }), { runClockOffsetUs: 0 }).runId, 'abcdefgh')
})

test('the connect deadline leaves time for the ramp', () => {
  assert.equal(connectDeadlineMs(settingsOf({}), 20_000), 130_000)
  assert.equal(connectDeadlineMs(settingsOf({ CONNECT_DEADLINE_MS: '500' }), 20_000), 500)
})

test('receiver threads leave a core to the publisher and obey the quota', () => {
  const settings = settingsOf({})
  const rows: [number, number | undefined, number, number][] = [
    [2, undefined, 100_000, 1],
    [1, undefined, 100_000, 1],
    [8, undefined, 100_000, 7],
    [8, undefined, 12_000, 3], // few clients need few threads
    [8, 2.5, 100_000, 1], // a container with two and a half cores
    [8, 4, 100_000, 3],
  ]
  for (const [cores, cpuQuota, clients, threads] of rows) assert.equal(receiverThreads(settings, { cores, cpuQuota, clients }), threads)
  assert.equal(receiverThreads(settingsOf({ THREADS: '5' }), { cores: 1, cpuQuota: undefined, clients: 1 }), 5)
})

test('the offered load is rate × clients, as far as it is known', () => {
  assert.deepEqual(offeredLoad(planOf({ WS_POOL_SIZE: '1000', RATE: '50', MSG_COUNT: '100' })), {
    deliveriesPerSecond: 50_000,
    deliveries: 100_000,
  })
  assert.deepEqual(offeredLoad(planOf({ WS_POOL_SIZE: '10', MSG_DELAY: '0' })), { deliveriesPerSecond: undefined, deliveries: 10_000 })
  const several = planOf({ WS_POOL_SIZE: '10', STREAMS: '4', STREAMS_PER_CLIENT: '2', RATE: '5', MSG_COUNT: '7' })
  assert.deepEqual(offeredLoad(several), { deliveriesPerSecond: 100, deliveries: 140 })
  assert.deepEqual(offeredLoad(planOf({ INJECTOR: 'none' })), { deliveriesPerSecond: undefined, deliveries: undefined })
})
