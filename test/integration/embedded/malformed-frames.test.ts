import assert from 'node:assert/strict'
import { connect as dial } from 'node:net'
import { test } from 'node:test'
import { connect } from 'amqplib'
import { startBroker } from '../../../src/embedded/broker.ts'
import { tableOf } from '../../../src/embedded/codec/field-table.ts'
import { FRAME_METHOD, FrameReader } from '../../../src/embedded/codec/frame-reader.ts'
import { methodNameOf } from '../../../src/embedded/codec/method-codec.ts'
import { eventually } from '../../doubles/eventually.ts'
import {
  consumeFrame,
  frame,
  headerFrame,
  methodFrame,
  openingBytes,
  PROTOCOL_HEADER,
  publishFrames,
  RawAmqpClient,
} from '../../doubles/raw-amqp.ts'

/** Each begins with a malformed frame on a fresh connection; the frames after it find whatever state that left. */
const ATTACKS = 10_000
const MOST_FRAMES_PER_ATTACK = 3
const ATTACKS_AT_ONCE = 25
/** So that a failure can be repeated. */
const SEED = 20_251

/** A small generator of numbers (mulberry32): the same attacks on every machine. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

type Random = ReturnType<typeof randomFrom>
const randomBytes = (random: Random, length: number): Buffer => Buffer.from(Array.from({ length }, () => random(256)))

/** Frames an honest client sends on channel 1, as raw material. */
const honest: readonly Buffer[] = [
  methodFrame(1, 'exchange.declare', {
    ticket: 0,
    exchange: 'fuzz',
    type: 'topic',
    passive: false,
    durable: false,
    autoDelete: false,
    internal: false,
    noWait: false,
    arguments: tableOf({ text: 'value', yes: true, inner: { no: false } }),
  }),
  methodFrame(1, 'queue.declare', {
    ticket: 0,
    queue: '',
    passive: false,
    durable: false,
    exclusive: true,
    autoDelete: false,
    noWait: false,
    arguments: tableOf({ 'x-queue-type': 'classic' }),
  }),
  methodFrame(1, 'queue.bind', { ticket: 0, queue: '', exchange: 'amq.topic', routingKey: '#', noWait: false, arguments: new Map() }),
  consumeFrame(1, '', false),
  methodFrame(1, 'basic.qos', { prefetchSize: 0, prefetchCount: 10, global: false }),
  methodFrame(1, 'confirm.select', { noWait: false }),
  publishFrames(1, 'amq.topic', 'key', Buffer.from('hello')),
  methodFrame(1, 'basic.ack', { deliveryTag: 1, multiple: true }),
  methodFrame(1, 'basic.nack', { deliveryTag: 0, multiple: true, requeue: true }),
  methodFrame(1, 'basic.get', { ticket: 0, queue: '', noAck: true }),
  methodFrame(0, 'connection.tune-ok', { channelMax: 1, frameMax: 4096, heartbeat: 1 }),
  methodFrame(1, 'channel.close', { replyCode: 200, replyText: 'bye', classId: 0, methodId: 0 }),
  headerFrame(1, 5, Buffer.from([0x80, 0, 3, 0x61, 0x62, 0x63])),
]

/** Ways to be wrong; each makes one piece of bytes that looks more or less like a frame. */
const attacks: Readonly<Record<string, (random: Random) => Buffer>> = {
  'bytes changed': (random) => {
    const bytes = Buffer.from(honest[random(honest.length)]!)
    for (let changes = 1 + random(4); changes > 0; changes--) bytes[random(bytes.length)] = random(256)
    return bytes
  },
  'arguments changed': (random) => {
    const bytes = Buffer.from(honest[random(honest.length)]!)
    for (let changes = 1 + random(4); changes > 0; changes--) bytes[7 + random(bytes.length - 8)] = random(256)
    return bytes
  },
  'payload cut short': (random) => {
    const whole = honest[random(honest.length)]!
    return frame(whole[0]!, 1, whole.subarray(7, 7 + random(whole.length - 8)))
  },
  'payload too long': (random) => {
    const whole = honest[random(honest.length)]!
    return frame(whole[0]!, 1, Buffer.concat([whole.subarray(7, -1), randomBytes(random, 1 + random(20))]))
  },
  'frame cut short': (random) => {
    const whole = honest[random(honest.length)]!
    return whole.subarray(0, random(whole.length))
  },
  'declared size wrong': (random) => {
    const whole = honest[random(honest.length)]!
    return frame(whole[0]!, 1, whole.subarray(7, -1), { declaredBytes: random(200) })
  },
  'declared size huge': (random) =>
    frame(1 + random(3), random(3), randomBytes(random, 10), { declaredBytes: 0xffff_ffff - random(1_000_000) }),
  'end mark wrong': (random) => {
    const whole = honest[random(honest.length)]!
    return frame(whole[0]!, 1, whole.subarray(7, -1), { end: random(256) })
  },
  'random method': (random) => frame(1, random(3), randomBytes(random, random(60))),
  'random method of a known class': (random) =>
    frame(
      1,
      random(2),
      Buffer.concat([Buffer.from([0, [10, 20, 40, 50, 60, 85, 90][random(7)]!, 0, random(130)]), randomBytes(random, random(40))]),
    ),
  'random content': (random) => frame(2 + random(2), random(3), randomBytes(random, random(60))),
  'body huge': () => Buffer.concat([publishStart(), headerFrame(1, 2 ** 53)]),
  'table hostile': (random) => {
    const table = randomBytes(random, random(40))
    const size = Buffer.alloc(4)
    size.writeUInt32BE(random(2) === 0 ? table.length : random(2 ** 31))
    return Buffer.concat([publishStart(), headerFrame(1, 0, Buffer.concat([Buffer.from([0x20, 0]), size, table]))])
  },
  'names that are no text': (random) => {
    const name = Buffer.concat([Buffer.from([200]), Buffer.alloc(200, 0x80 + random(128))])
    const declare = Buffer.concat([Buffer.from([0, 50, 0, 10, 0, 0]), name, Buffer.from([4, 0, 0, 0, 0])])
    const publish = Buffer.concat([Buffer.from([0, 60, 0, 40, 0, 0, 0]), name, Buffer.from([1])])
    return frame(1, 1, random(2) === 0 ? declare : publish)
  },
  noise: (random) => randomBytes(random, 1 + random(300)),
}

/** Sends the bytes after an opening that may itself be cut, ends its side, and returns what came back. */
function attack(port: number, bytes: Buffer): Promise<Buffer> {
  return new Promise((resolve) => {
    const heard: Buffer[] = []
    const socket = dial({ host: '127.0.0.1', port, noDelay: true }, () => socket.end(bytes))
    socket.on('data', (chunk) => heard.push(chunk))
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(Buffer.concat(heard)))
  })
}

/** Reply codes of the close methods in what a broker sent. */
function closeCodesIn(answer: Buffer): number[] {
  const frames = new FrameReader(131_072)
  if (answer.subarray(0, 4).equals(PROTOCOL_HEADER.subarray(0, 4))) return []
  frames.push(answer)
  const codes: number[] = []
  for (let next = frames.next(); next !== undefined; next = frames.next()) {
    const [classId, methodId] = [next.buffer.readUInt16BE(next.start), next.buffer.readUInt16BE(next.start + 2)]
    const isClose = next.type === FRAME_METHOD && methodNameOf(classId, methodId)?.endsWith('.close')
    if (isClose) codes.push(next.buffer.readUInt16BE(next.start + 4))
  }
  return codes
}

test(`${ATTACKS} attacks with malformed frames neither stop the broker nor trip it up, and an honest client is served afterwards`, {
  timeout: 120_000,
}, async () => {
  const broker = await startBroker()
  const random = randomFrom(SEED)
  const kinds = Object.keys(attacks)
  const opening = openingBytes()
  const codes = new Set<number>()
  let next = 0
  const attackers = Array.from({ length: ATTACKS_AT_ONCE }, async () => {
    while (next < ATTACKS) {
      next++
      const chosen = Array.from({ length: 1 + random(MOST_FRAMES_PER_ATTACK) }, () => kinds[random(kinds.length)]!)
      const frames = chosen.map((kind) => attacks[kind]!(random))
      // One in ten attacks before the connection is open.
      const start = random(10) === 0 ? opening.subarray(0, random(opening.length)) : opening
      const answer = await attack(broker.port, Buffer.concat([start, ...frames]))
      for (const code of closeCodesIn(answer)) codes.add(code)
    }
  })
  await Promise.all(attackers)
  assert.deepEqual(broker.state().faultsOfOurs, [])
  // The attacks were of every kind: each way of refusing was needed.
  for (const code of [404, 406, 501, 502, 503, 504, 505]) assert.ok(codes.has(code), `an attack was answered with ${code}`)
  await eventually(() => broker.state().connections.length === 0, 'no attacker was left')

  const connection = await connect(broker.url)
  const channel = await connection.createConfirmChannel()
  const { queue } = await channel.assertQueue('', { exclusive: true })
  channel.sendToQueue(queue, Buffer.from('still here'))
  await channel.waitForConfirms()
  const message = await channel.get(queue, { noAck: true })
  assert.ok(message)
  assert.equal(message.content.toString(), 'still here')
  await connection.close()
  await broker.close()
})

test('a frame that comes byte by byte is taken as any other', async () => {
  const broker = await startBroker()
  const client = await RawAmqpClient.open(broker.port)
  for (const byte of methodFrame(1, 'confirm.select', { noWait: false })) {
    await new Promise<void>((resolve) => client.socket.write(Buffer.of(byte), () => resolve()))
  }
  await client.hears('confirm.select-ok')
  client.destroy()
  await broker.close()
})

test('what is no AMQP is answered with the header it should have been, and closed', async () => {
  const broker = await startBroker()
  for (const words of ['GET / HTTP/1.1\r\n\r\n', 'AMQP\x01\x01\x00\x0a', '\x16\x03\x01\x02\x00']) {
    assert.deepEqual(await attack(broker.port, Buffer.from(words, 'latin1')), PROTOCOL_HEADER)
  }
  await broker.close()
})

/** What ends a connection, and the code and ids its close carries. */
const connectionErrors: readonly (readonly [what: string, bytes: Buffer, replyCode: number, text: RegExp])[] = [
  ['a wrong end mark', frame(1, 0, Buffer.from([0, 10, 0, 40]), { end: 0 }), 501, /^FRAME_ERROR - type 1, .*invalid_frame_end_marker/],
  ['a frame over the agreed size', frame(3, 1, Buffer.alloc(131_073)), 501, /frame_too_large/],
  ['arguments cut short', frame(1, 1, Buffer.from([0, 60, 0, 40, 0])), 501, /cannot decode basic\.publish/],
  ['properties that are none', Buffer.concat([publishStart(), headerFrame(1, 0, Buffer.from([0x80, 0, 200, 1]))]), 502, /^SYNTAX_ERROR - /],
  ['a method nobody knows', frame(1, 1, Buffer.from([0, 99, 0, 1])), 503, /^COMMAND_INVALID - unknown method 99\.1/],
  ['a method only servers send', methodFrame(1, 'basic.get-empty', { clusterId: '' }), 503, /unimplemented method/],
  ['a channel that is not open', methodFrame(5, 'confirm.select', { noWait: false }), 504, /expected 'channel\.open'/],
  ['a channel opened twice', methodFrame(1, 'channel.open', { outOfBand: '' }), 504, /second 'channel\.open' seen/],
  ['content without a publish', headerFrame(1, 0), 505, /expected method frame, got non method frame instead/],
  [
    'a method amid content',
    Buffer.concat([publishStart(), methodFrame(1, 'confirm.select', { noWait: false })]),
    505,
    /expected content header/,
  ],
  [
    'a body longer than announced',
    Buffer.concat([publishStart(), headerFrame(1, 1), frame(3, 1, Buffer.alloc(2))]),
    505,
    /content body of 1 bytes/,
  ],
  ['prefetch by size', methodFrame(1, 'basic.qos', { prefetchSize: 9, prefetchCount: 0, global: false }), 540, /prefetch_size!=0 \(9\)/],
  ['a transaction', methodFrame(1, 'tx.select', {}), 540, /transactions are not offered/],
]

function publishStart(): Buffer {
  return methodFrame(1, 'basic.publish', { ticket: 0, exchange: 'amq.topic', routingKey: 'key', mandatory: false, immediate: false })
}

for (const [what, bytes, replyCode, text] of connectionErrors) {
  test(`${what} ends the connection with ${replyCode}`, async () => {
    const broker = await startBroker()
    const client = await RawAmqpClient.open(broker.port)
    client.send(bytes)
    const { args } = await client.hears('connection.close')
    assert.equal(args.replyCode, replyCode)
    assert.match(args.replyText, text)
    client.send(methodFrame(0, 'connection.close-ok', {}))
    client.socket.end()
    await client.closes()
    await broker.close()
  })
}

test('a body announced larger than allowed closes the channel before any of it is read', async () => {
  const broker = await startBroker()
  const client = await RawAmqpClient.open(broker.port)
  client.send(Buffer.concat([publishStart(), headerFrame(1, 2 ** 40), frame(3, 1, Buffer.alloc(1_000))]))
  const { args } = await client.hears('channel.close')
  assert.equal(args.replyText, 'PRECONDITION_FAILED - message size 1099511627776 is larger than configured max size 134217728')
  client.destroy()
  await broker.close()
})
