/** The target without habits: what rango does, it does. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import WebSocket from 'ws'
import { startTarget, type Target } from '../../../src/target/target.ts'
import { eventually } from '../../doubles/eventually.ts'
import { probeBody, TEST_RUN } from '../../doubles/probe-bodies.ts'
import { RawClient } from '../../doubles/raw-client.ts'

const ack = (...streams: string[]) => JSON.stringify({ success: { message: 'subscribed', streams } })

describe('an honest target', () => {
  let target: Target
  before(async () => {
    target = await startTarget()
  })
  after(() => target.close())

  it('acknowledges the streams of the raw request line, literal commas included', async () => {
    const client = await RawClient.ready(target.port, '/?stream=public.a,public.b&stream=public.c')
    assert.deepEqual(client.texts, [ack('public.a', 'public.b', 'public.c')])
    assert.match(client.head ?? '', /^HTTP\/1.1 101 /)
    assert.match(client.head ?? '', /Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK\+xOo=/)
    client.socket.destroy()
  })

  it('does not decode percent signs: %2C names one wrong stream', async () => {
    const client = await RawClient.ready(target.port, '/?stream=public.a%2Cpublic.b')
    target.broadcast('public.a', '{}')
    target.broadcast('public.b', '{}')
    client.send(1, 'ping')
    await client.frameCount(3)
    // With two dots in it, the name is not even a public one.
    assert.deepEqual(client.texts, ['{"success":{"message":"cannot subscribe to public.a%2Cpublic.b"}}', ack(), 'pong'])
    client.socket.destroy()
  })

  it('acknowledges a client without streams', async () => {
    const client = await RawClient.ready(target.port, '/')
    assert.deepEqual(client.texts, [ack()])
    client.socket.destroy()
  })

  it('subscribes and unsubscribes by text frames, naming the full list each time', async () => {
    const client = await RawClient.ready(target.port, '/?stream=public.a')
    client.send(1, '{"event":"subscribe","streams":["public.b","M.E"]}')
    client.send(1, '{"event":"unsubscribe","streams":["public.a"]}')
    await client.frameCount(3)
    target.broadcast('public.a', '1')
    target.broadcast('public.b', '2')
    target.broadcast('public.M.E', '3')
    await client.frameCount(5)
    assert.deepEqual(client.texts, [
      ack('public.a'),
      ack('public.a', 'public.b', 'M.E'),
      '{"success":{"message":"unsubscribed","streams":["public.b","M.E"]}}',
      '{"public.b":2}',
      '{"M.E":3}',
    ])
    client.socket.destroy()
  })

  it('leaves private streams out for the anonymous and refuses prefixed ones aloud', async () => {
    const client = await RawClient.ready(target.port, '/?stream=order,admin.a.b,public.a')
    assert.deepEqual(client.texts, ['{"success":{"message":"cannot subscribe to admin.a.b"}}', ack('public.a')])
    client.socket.destroy()
  })

  it('tells private messages to their user alone', async () => {
    const token = (uid: string) => `Bearer x.${Buffer.from(JSON.stringify({ uid })).toString('base64url')}.y`
    const [one, two] = await Promise.all([
      RawClient.ready(target.port, '/private?stream=order', { headers: { Authorization: token('ID1') } }),
      RawClient.ready(target.port, '/private?stream=order', { headers: { Authorization: token('ID2') } }),
    ])
    target.broadcast('private.ID1.order', '{"b":1,"a":2}')
    target.broadcast('private.ID2.order', '2')
    await Promise.all([one.frameCount(2), two.frameCount(2)])
    assert.deepEqual(
      [one.texts, two.texts],
      [
        [ack('order'), '{"order":{"a":2,"b":1}}'],
        [ack('order'), '{"order":2}'],
      ],
    )
    one.socket.destroy()
    two.socket.destroy()
  })

  it('answers 401 on /private without a bearer token, and 400 to what is no WebSocket handshake', async () => {
    const unauthorised = new RawClient(target.port, { requestTarget: '/private' })
    const unknownVersion = new RawClient(target.port, { headers: { 'Sec-WebSocket-Version': '8' } })
    await Promise.all([unauthorised.closed(), unknownVersion.closed()])
    assert.match(unauthorised.head ?? '', /^HTTP\/1.1 401 Unauthorized/)
    assert.match(unknownVersion.head ?? '', /^HTTP\/1.1 400 Bad Request/)
    assert.equal((await fetch(`http://127.0.0.1:${target.port}/`)).status, 400)
  })

  it('says what is wrong with a request and goes on', async () => {
    const client = await RawClient.ready(target.port, '/')
    client.send(1, 'no json')
    client.send(1, '{"event":"subscribe"}')
    client.send(1, '{"event":"shout","streams":[]}')
    client.send(1, 'ping')
    await client.frameCount(5)
    for (const text of client.texts.slice(1, 4)) assert.match(text, /^\{"error":"[^"]+"\}$/)
    assert.equal(client.texts[4], 'pong')
    client.socket.destroy()
  })

  it('takes messages of 512 bytes and closes on longer ones, fragments counted together', async () => {
    const client = await RawClient.ready(target.port, '/')
    client.send(1, 'x'.repeat(512))
    await client.frameCount(2)
    client.send(1, 'x'.repeat(300), { isFinal: false })
    client.send(0, 'x'.repeat(300))
    await client.frameCount(3)
    assert.deepEqual([client.frames[2]?.opcode, client.frames[2]?.payload.readUInt16BE(0)], [8, 1009])
    await client.closed()
  })

  it('puts a fragmented request together, with a ping answered in between', async () => {
    const client = await RawClient.ready(target.port, '/')
    client.send(1, '{"event":"subscribe",', { isFinal: false })
    client.send(9, 'between')
    client.send(0, '"streams":["public.a"]}')
    await client.frameCount(3)
    assert.deepEqual([client.frames[1]?.opcode, client.frames[1]?.payload.toString()], [10, 'between'])
    assert.equal(client.texts[1], ack('public.a'))
    client.socket.destroy()
  })

  for (const [name, options, opcode] of [
    ['unmasked frames', { isMasked: false }, 1],
    ['reserved bits', { reservedBits: 0x40 }, 1],
    ['unknown opcodes', {}, 3],
    ['a continuation of nothing', {}, 0],
    ['fragmented control frames', { isFinal: false }, 9],
  ] as const) {
    it(`closes with 1002 on ${name}`, async () => {
      const client = await RawClient.ready(target.port, '/')
      client.send(opcode, 'x', options)
      await client.closed()
      assert.deepEqual([client.frames[1]?.opcode, client.frames[1]?.payload.readUInt16BE(0)], [8, 1002])
    })
  }

  it('closes in order with a client of the ws library', async () => {
    const client = new WebSocket(`${target.url}?stream=public.ws`)
    const texts: string[] = []
    client.on('message', (data) => texts.push(String(data)))
    await eventually(() => texts.length === 1, 'the subscription is acknowledged')
    target.broadcast('public.ws', probeBody(0))
    await eventually(() => texts.length === 2, 'the probe has come')
    client.close(1000)
    const code = await new Promise((resolve) => client.once('close', resolve))
    assert.equal(code, 1000)
    const account = () => target.truth.clients().at(-1)
    await eventually(() => account()?.ending !== undefined, 'the account is closed')
    assert.equal(account()?.ending, 'closed-by-client')
    assert.deepEqual(
      account()?.streams.map(({ written, acknowledged }) => ({ written, acknowledged })),
      [{ written: [[0, 0]], acknowledged: [[0, 0]] }],
    )
  })

  it('keeps snapshots, holds increments back until there is one, and tells both to a new subscriber before its acknowledgement', async () => {
    const early = await RawClient.ready(target.port, '/?stream=eth.ob-inc')
    target.broadcast('public.eth.ob-inc', '0')
    target.broadcast('public.eth.ob-snap', '[1]')
    target.broadcast('public.eth.ob-inc', '2')
    await early.frameCount(2)
    const late = await RawClient.ready(target.port, '/?stream=eth.ob-inc')
    assert.deepEqual(early.texts, [ack('eth.ob-inc'), '{"eth.ob-inc":2}'])
    assert.deepEqual(late.texts, ['{"eth.ob-snap":[1]}', '{"eth.ob-inc":2}', ack('eth.ob-inc')])
    early.socket.destroy()
    late.socket.destroy()
  })

  it('tells each client everything from its subscription on and nothing from before, whatever it shares with others', async () => {
    const both = await RawClient.ready(target.port, '/?stream=public.x,public.y')
    target.broadcast('public.x', probeBody(0))
    const one = await RawClient.ready(target.port, '/?stream=public.x')
    for (let sequence = 1; sequence < 50; sequence += 1) {
      target.broadcast('public.x', probeBody(sequence))
      target.broadcast('public.y', probeBody(sequence, { stream: 1 }))
    }
    await Promise.all([both.frameCount(1 + 99), one.frameCount(1 + 49)])
    assert.deepEqual(
      both.sequences(TEST_RUN, 0),
      Array.from({ length: 50 }, (_, index) => index),
    )
    assert.deepEqual(
      both.sequences(TEST_RUN, 1),
      Array.from({ length: 49 }, (_, index) => index + 1),
    )
    assert.deepEqual(
      one.sequences(),
      Array.from({ length: 49 }, (_, index) => index + 1),
    )
    const [truthOfBoth, truthOfOne] = target.truth.clients().slice(-2)
    assert.deepEqual(
      truthOfBoth?.streams.map(({ stream, written }) => [stream, written]),
      [
        ['public.x', [[0, 49]]],
        ['public.y', [[1, 49]]],
      ],
    )
    assert.deepEqual(
      truthOfOne?.streams.map(({ stream, written }) => [stream, written]),
      [['public.x', [[1, 49]]]],
    )
    assert.equal(truthOfOne?.remotePort, one.socket.localPort)
    both.socket.destroy()
    one.socket.destroy()
  })

  it('shows its clients and subscriptions on /metrics, zeros of the past included', async () => {
    await eventually(() => target.clientCount === 0, 'all clients are gone')
    const clients = await Promise.all([1, 2, 3].map(() => RawClient.ready(target.port, '/?stream=public.metered')))
    const metrics = await (await fetch(target.metricsUrl)).text()
    assert.match(metrics, /^rango_hub_clients_count 3$/m)
    assert.match(metrics, /^rango_hub_subscriptions_count\{topic="public.metered",type="public"\} 3$/m)
    assert.match(metrics, /^rango_hub_subscriptions_count\{topic="public.x",type="public"\} 0$/m)
    for (const client of clients) client.socket.destroy()
  })
})
