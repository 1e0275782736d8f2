/** What the target does wrong to connections: handshakes, acknowledgements, pings, endings, freezes and restarts. */
import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { expandRanges } from '../../../src/target/sequence-range.ts'
import { eventually } from '../../doubles/eventually.ts'
import { RawClient } from '../../doubles/raw-client.ts'
import { TargetScene } from '../../doubles/target-scene.ts'

const HEAD_101 = /^HTTP\/1.1 101 /

describe('a target with bad habits towards connections', () => {
  let scene: TargetScene
  afterEach(() => scene.close())

  const dial = (options = {}) => {
    const client = new RawClient(scene.target.port, { requestTarget: `/?stream=${TargetScene.stream}`, ...options })
    scene.clients.push(client)
    return client
  }

  it('accepts and stays silent', async () => {
    scene = await TargetScene.open({ habits: [{ kind: 'silent', clients: [0] }] }, 0)
    const silent = dial()
    await eventually(() => scene.events('silent').length === 1, 'the silence is noted')
    const other = await scene.connect()
    assert.match(other.head ?? '', HEAD_101)
    assert.deepEqual([silent.head, silent.frames.length, silent.hasEnded], [undefined, 0, false])
    assert.equal(scene.target.truth.events[0]?.remotePort, silent.localPort)
    silent.socket.end()
    await silent.closed()
  })

  it('answers a share of the handshakes with 503, each of them written down', async () => {
    scene = await TargetScene.open({ habits: [{ kind: 'status', share: 0.4, seed: 3 }] }, 0)
    for (let index = 0; index < 40; index += 1) {
      dial()
      await eventually(() => scene.clients[index]?.head, 'the handshake is answered')
    }
    const refused = scene.clients.filter((client) => client.head?.startsWith('HTTP/1.1 503 Service Unavailable'))
    assert.ok(refused.length > 5 && refused.length < 35)
    assert.deepEqual(
      scene.target.truth.events.map(({ kind, status, remotePort }) => [kind, status, remotePort]),
      refused.map((client) => ['status', 503, client.localPort]),
    )
  })

  it('answers with a wrong Sec-WebSocket-Accept', async () => {
    scene = await TargetScene.open({ habits: [{ kind: 'bad-accept' }] }, 1)
    assert.match(scene.clients[0]?.head ?? '', HEAD_101)
    assert.doesNotMatch(scene.clients[0]?.head ?? '', /s3pPLMBiTxaQ9kYGzzhZRbK\+xOo=/)
    assert.deepEqual(scene.events('bad-accept'), [[0, undefined]])
  })

  it('lets nobody in who left while waiting for a turn', async () => {
    scene = await TargetScene.open({ habits: [{ kind: 'accept-rate', perSecond: 10 }] }, 0)
    const clients = [dial(), dial(), dial()]
    await eventually(() => scene.events('accept-rate').length === 2, 'two of them wait')
    clients[1]!.socket.end()
    await Promise.all([clients[1]!.closed(), clients[2]!.frameCount(1)])
    assert.equal(scene.target.clientCount, 2)
  })

  it('answers no more handshakes a second than it was told to, in their order', async () => {
    const perSecond = 50
    scene = await TargetScene.open({ habits: [{ kind: 'accept-rate', perSecond }] }, 0)
    const startMs = performance.now()
    const clients = Array.from({ length: 6 }, () => dial())
    await Promise.all(clients.map((client) => client.frameCount(1)))
    assert.ok(performance.now() - startMs >= (5 * 1_000) / perSecond - 2)
    assert.deepEqual(
      scene.events('accept-rate').map(([client]) => client),
      [1, 2, 3, 4, 5],
    )
  })

  it('never acknowledges, and still delivers', async () => {
    scene = await TargetScene.open({ habits: [{ kind: 'never-ack', clients: [0] }] }, 0)
    const client = dial()
    await eventually(() => scene.events('never-ack').length === 1, 'the missing acknowledgement is noted')
    await scene.broadcast(0, 2)
    await scene.everybodyHas(2)
    assert.equal(client.texts.length, 3)
    assert.equal(scene.target.truth.client(0)?.acknowledgedUs, undefined)
    scene.assertTruthful()
  })

  it('acknowledges late, after probes have come', async () => {
    scene = await TargetScene.open({ habits: [{ kind: 'late-ack', ms: 50 }] }, 0)
    const client = dial()
    await eventually(() => scene.events('late-ack').length === 1, 'the late acknowledgement is noted')
    await scene.broadcast(0, 1)
    await client.frameCount(3)
    assert.match(client.texts[2] ?? '', /"subscribed"/)
    const truth = scene.target.truth.client(0)
    assert.ok((truth?.acknowledgedUs ?? 0) - (truth?.openedUs ?? 0) >= 49_000)
  })

  it('demands pongs and cuts who does not answer; what an answer acknowledges is surely received', async () => {
    scene = await TargetScene.open({ habits: [{ kind: 'demand-pong', everyMs: 20, withinMs: 120 }] }, 1)
    const mute = await scene.connect({ answersPings: false })
    await scene.broadcast(0, 9)
    await mute.closed()
    await eventually(() => scene.truthOf(0)?.acknowledged.length === 1, 'a ping behind the probes is answered')
    assert.deepEqual([scene.clients[0]?.isClosed, mute.frames.some(({ opcode }) => opcode === 8)], [false, false])
    assert.deepEqual(scene.events('pong-overdue'), [[1, undefined]])
    assert.equal(scene.target.truth.client(1)?.ending, 'pong-overdue')
    assert.deepEqual(scene.truthOf(0)?.acknowledged, [[0, 9]])
    scene.assertTruthful()
  })

  it('closes with a code after a probe; the close handshake proves that all was received', async () => {
    scene = await TargetScene.open(
      { habits: [{ kind: 'end', how: 'close', code: 4001, reason: 'enough', clients: [0], sequences: [3] }] },
      2,
    )
    const [closed, other] = scene.clients
    await scene.broadcast(0, 3)
    await eventually(() => closed?.frames.some(({ opcode }) => opcode === 8), 'the close frame has come')
    closed?.send(8, Buffer.from([0x0f, 0xa1]))
    await closed?.closed()
    await scene.broadcast(4, 6)
    await other?.hasProbe(6)
    const frame = closed?.frames.find(({ opcode }) => opcode === 8)
    assert.deepEqual([frame?.payload.readUInt16BE(0), frame?.payload.toString('utf8', 2)], [4001, 'enough'])
    await eventually(() => scene.target.truth.client(0)?.ending, 'the account is closed')
    assert.deepEqual([scene.target.truth.client(0)?.ending, scene.target.truth.client(0)?.closeCode], ['closed-by-target', 4001])
    assert.deepEqual([scene.truthOf(0)?.written, scene.truthOf(0)?.acknowledged], [[[0, 3]], [[0, 3]]])
    scene.assertTruthful()
  })

  it('closes TCP without a close frame', async () => {
    scene = await TargetScene.open({ habits: [{ kind: 'end', how: 'cut', clients: [0], sequences: [3] }] }, 1)
    const [client] = scene.clients
    await scene.broadcast(0, 5)
    await client?.closed()
    assert.deepEqual([client?.hasEnded, client?.errorCode, client?.frames.some(({ opcode }) => opcode === 8)], [true, undefined, false])
    await eventually(() => scene.target.truth.client(0)?.ending, 'the account is closed')
    assert.equal(scene.target.truth.client(0)?.ending, 'cut-by-target')
    assert.deepEqual([scene.truthOf(0)?.written, scene.truthOf(0)?.acknowledged], [[[0, 3]], [[0, 3]]])
    scene.assertTruthful()
  })

  it('resets a connection; the truth is then an interval that holds what the client received', async () => {
    scene = await TargetScene.open({}, 1)
    const [client] = scene.clients
    await scene.broadcast(0, 4)
    await client?.hasProbe(4)
    scene.target.setHabits([{ kind: 'demand-pong', everyMs: 10, withinMs: 5_000 }])
    await eventually(() => scene.truthOf(0)?.acknowledged.length === 1, 'a ping behind the first probes is answered')
    scene.target.setHabits([])
    client?.socket.pause() // from here on nothing is received for certain
    await scene.broadcast(5, 9)
    await new Promise((resolve) => setImmediate(resolve))
    await scene.target.act({ kind: 'end', how: 'reset' })
    client?.socket.resume()
    await client?.closed()
    await eventually(() => scene.target.truth.client(0)?.ending, 'the account is closed')
    assert.equal(scene.target.truth.client(0)?.ending, 'reset-by-target')
    const truth = scene.truthOf(0)
    assert.deepEqual([truth?.acknowledged, truth?.written], [[[0, 4]], [[0, 9]]])
    assertBetween(client?.sequences() ?? [], expandRanges(truth?.acknowledged ?? []), expandRanges(truth?.written ?? []))
  })

  it('resets an idle connection so that its client sees a reset', async () => {
    scene = await TargetScene.open({}, 1)
    await scene.target.act({ kind: 'end', how: 'reset', clients: [0] })
    await scene.clients[0]?.closed()
    assert.equal(scene.clients[0]?.errorCode, 'ECONNRESET')
    assert.deepEqual(scene.events('reset'), [[0, undefined]])
  })

  it('cuts a slow client when too many messages wait for it; what waited was never written', async () => {
    scene = await TargetScene.open({ habits: [{ kind: 'slow-cut', depth: 5, clients: [0] }] }, 2)
    const [slow, quick] = scene.clients
    slow?.socket.pause()
    scene.target.setHabits([
      { kind: 'slow-cut', depth: 5, clients: [0] },
      { kind: 'insert', what: 'huge', bytes: 1_000_000, clients: [0] },
    ])
    let sequence = 0
    while (scene.events('slow-client').length === 0) {
      await scene.broadcast(sequence, sequence)
      await quick?.hasProbe(sequence)
      sequence += 1
    }
    slow?.socket.resume()
    await slow?.closed()
    await eventually(() => scene.target.truth.client(0)?.ending, 'the account is closed')
    assert.equal(scene.target.truth.client(0)?.ending, 'slow-client')
    const truth = scene.truthOf(0)
    const written = expandRanges(truth?.written ?? [])
    assert.ok(written.length < sequence)
    assertBetween(slow?.sequences() ?? [], expandRanges(truth?.acknowledged ?? []), written)
    assert.deepEqual(quick?.sequences(), expandRanges(scene.truthOf(1)?.written ?? []))
  })

  it('freezes: nothing is answered or written for a time, then everything in order', async () => {
    scene = await TargetScene.open({ habits: [{ kind: 'freeze', ms: 80, atSequence: 2 }] }, 2)
    const [client] = scene.clients
    await scene.broadcast(0, 1)
    await scene.everybodyHas(1)
    const startMs = performance.now()
    await scene.broadcast(2, 5)
    client?.send(1, 'ping')
    await scene.everybodyHas(5)
    await client?.frameCount(8)
    const late = dial()
    await late.frameCount(1)
    assert.ok((client?.frameTimesMs[3] ?? 0) - startMs >= 79)
    assert.ok(client?.texts.includes('pong'))
    assert.deepEqual(late.sequences(), [])
    assert.equal(scene.target.truth.events.filter(({ kind }) => kind === 'freeze').length, 1)
    scene.assertTruthful()
  })

  it('restarts: all clients are dropped, and it listens again on the same port', async () => {
    scene = await TargetScene.open({}, 3)
    await scene.broadcast(0, 2)
    await scene.everybodyHas(2)
    const { port } = scene.target
    await scene.target.act({ kind: 'restart', downMs: 20 })
    await Promise.all(scene.clients.map((client) => client.closed()))
    assert.equal(scene.target.port, port)
    const again = await scene.connect()
    await scene.broadcast(3, 4)
    await again.hasProbe(4)
    scene.assertTruthful()
    assert.equal(scene.target.truth.events.find(({ kind }) => kind === 'restart')?.clients, 3)
    assert.equal(scene.target.truth.client(3)?.client, 3)
  })
})

/** Received lies between what was surely received and what was written, and all three are the beginning of the same list. */
function assertBetween(received: readonly number[], acknowledged: readonly number[], written: readonly number[]): void {
  assert.deepEqual(received, written.slice(0, received.length))
  assert.ok(received.length >= acknowledged.length, `received ${received.length}, acknowledged ${acknowledged.length}`)
}
