/** What every engine must do, told by real sockets: the same traffic leads to the same calls of the listener. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { describe, it } from 'node:test'
import { WebSocketServer } from 'ws'
import type { ConnectionEnd, Dial, Engine, EngineListener, EngineOptions } from '../../../../src/clients/engine.ts'
import { FastEngine } from '../../../../src/clients/engines/fast-engine.ts'
import { WsEngine } from '../../../../src/clients/engines/ws-engine.ts'
import type { Handshake } from '../../../../src/protocols/protocol.ts'
import { eventually } from '../../../doubles/eventually.ts'
import {
  BINARY,
  CLOSE,
  CONTINUATION,
  closeFrame,
  frame,
  PING,
  PONG,
  type RawTarget,
  readClientFrames,
  startRawTarget,
  TEXT,
  upgradeAnswer,
} from '../../../doubles/raw-target.ts'
import { RecordingListener } from '../../../doubles/recording-listener.ts'

const LIMIT_BYTES = 200_000
const options: EngineOptions = { nowUs: () => 4_711, maxFrameBytes: LIMIT_BYTES, tls: { rejectUnauthorized: false } }

const engines: [name: string, create: (listener: EngineListener) => Engine][] = [
  ['fast', (listener) => new FastEngine(listener, options)],
  ['ws', (listener) => new WsEngine(listener, { ...options, compression: false })],
]

type DialChanges = Partial<Omit<Dial, 'handshake'>> & { readonly handshake?: Partial<Handshake> }

const dialOf = (url: string, more: DialChanges = {}): Dial => ({
  slot: 0,
  remoteAddress: undefined,
  localAddress: undefined,
  localPort: undefined,
  ...more,
  handshake: { url: new URL(url), requestTarget: '/', headers: {}, subprotocols: [], ...more.handshake },
})

for (const [name, create] of engines) {
  /** Dials a target made by hand; `onHead` says what it answers. */
  async function withTarget(
    onHead: (socket: Socket, head: string) => unknown,
    act: (parts: { engine: Engine; listener: RecordingListener; target: RawTarget }) => Promise<void>,
    more: DialChanges = {},
  ): Promise<void> {
    const target = await startRawTarget(onHead)
    const listener = new RecordingListener()
    const engine = create(listener)
    try {
      engine.dial(dialOf(target.url, more))
      await act({ engine, listener, target })
    } finally {
      if (listener.ends.length === 0) engine.abort(0, 'socket-error', 'the test is over')
      await target.close()
    }
  }

  /** The target answers the handshake and sends `bytes` behind it, in one write. */
  const sending = (...bytes: Buffer[]) => {
    return (socket: Socket, head: string) => {
      socket.write(Buffer.concat([Buffer.from(upgradeAnswer(head)), ...bytes]))
    }
  }

  async function endOf(onHead: (socket: Socket, head: string) => void, more: DialChanges = {}): Promise<ConnectionEnd> {
    let end: ConnectionEnd | undefined
    await withTarget(
      onHead,
      async ({ listener }) => {
        end = await listener.end(0)
      },
      more,
    )
    return end!
  }

  describe(`the ${name} engine`, { concurrency: 4 }, () => {
    it('sends the request line and headers exactly as given', async () => {
      let seen = ''
      const handshake = {
        requestTarget: '/a/../b?stream=public.a,public.b&x={y}|%2C',
        headers: { 'X-One': 'yes', Authorization: 'Bearer t' },
      }
      await withTarget(
        (socket, head) => {
          seen = head
          socket.write(upgradeAnswer(head))
        },
        async ({ listener, target }) => {
          await listener.open(0)
          assert.equal(seen.split('\r\n')[0], 'GET /a/../b?stream=public.a,public.b&x={y}|%2C HTTP/1.1')
          assert.match(seen, new RegExp(`^host: 127\\.0\\.0\\.1:${target.port}\\r$`, 'im'))
          assert.match(seen, /^X-One: yes\r$/im)
          assert.match(seen, /^Authorization: Bearer t\r$/im)
          assert.match(seen, /^Sec-WebSocket-Version: 13\r$/im)
          assert.doesNotMatch(seen, /Sec-WebSocket-Extensions/i)
        },
        { handshake },
      )
    })

    it('tells the local address and port that the target sees, and the subprotocol', async () => {
      await withTarget(
        (socket, head) => {
          assert.match(head, /^Sec-WebSocket-Protocol: a, ?b\r$/im)
          socket.write(upgradeAnswer(head, ['Sec-WebSocket-Protocol: b']))
        },
        async ({ listener, target }) => {
          const facts = await listener.open(0)
          const socket = target.sockets[0]!
          assert.deepEqual(facts, { openedUs: 4_711, localAddress: '127.0.0.2', localPort: socket.remotePort, subprotocol: 'b' })
          assert.equal(socket.remoteAddress, '127.0.0.2')
        },
        { localAddress: '127.0.0.2', handshake: { subprotocols: ['a', 'b'] } },
      )
    })

    it('binds the local port it is given', async () => {
      const probe = createServer().listen(0, '127.0.0.3')
      await once(probe, 'listening')
      const localPort = (probe.address() as AddressInfo).port
      probe.close()
      await once(probe, 'close')
      await withTarget(
        sending(),
        async ({ listener }) => {
          assert.equal((await listener.open(0)).localPort, localPort)
        },
        { localAddress: '127.0.0.3', localPort },
      )
    })

    it('hands over messages of every length, also those that came with the answer', async () => {
      const lengths = [0, 1, 125, 126, 127, 65_535, 65_536, LIMIT_BYTES]
      const bytes = lengths.map((length) => frame(BINARY, Buffer.alloc(length, 'x')))
      await withTarget(sending(frame(TEXT, 'first'), ...bytes, frame(TEXT, 'short', { lengthBytes: 8 })), async ({ listener, engine }) => {
        await listener.texts(lengths.length + 2)
        assert.deepEqual(
          listener.messages.map(({ payload }) => payload.length),
          [5, ...lengths, 5],
        )
        assert.deepEqual(
          listener.messages.map(({ isBinary }) => isBinary),
          [false, ...lengths.map(() => true), false],
        )
        assert.ok(listener.messages.every(({ receivedUs }) => receivedUs === 4_711))
        assert.equal(engine.frames, lengths.length + 2)
        assert.ok(engine.reads >= 1)
      })
    })

    it('joins fragments with control frames in between', async () => {
      const answers: Buffer[] = []
      const onHead = (socket: Socket, head: string) => {
        socket.on('data', (chunk) => answers.push(chunk))
        sending(
          frame(TEXT, 'one ', { fin: false }),
          frame(PING, 'are you there'),
          frame(CONTINUATION, '', { fin: false }),
          frame(PONG, 'unasked'),
          frame(CONTINUATION, 'two', { fin: true }),
          frame(BINARY, '', { fin: false }),
          frame(CONTINUATION, '', { fin: true }),
        )(socket, head)
      }
      await withTarget(onHead, async ({ listener }) => {
        assert.deepEqual(await listener.texts(2), ['one two', ''])
        assert.deepEqual(
          listener.messages.map(({ isBinary }) => isBinary),
          [false, true],
        )
        const frames = await eventually(
          () => readClientFrames(Buffer.concat(answers)).length > 0 && readClientFrames(Buffer.concat(answers)),
          'a pong came',
        )
        assert.deepEqual(frames, [{ opcode: PONG, isMasked: true, payload: Buffer.from('are you there') }])
      })
    })

    it('hands text over without looking at its encoding', async () => {
      await withTarget(sending(frame(TEXT, Buffer.from([0xff, 0xfe, 0xc0]))), async ({ listener }) => {
        await listener.texts(1)
        assert.deepEqual([...listener.messages[0]!.payload], [0xff, 0xfe, 0xc0])
      })
    })

    it('sends text and binary messages of every length, masked', async () => {
      const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
      await once(server, 'listening')
      const received: [string, boolean][] = []
      server.on('connection', (socket) => {
        socket.on('message', (data: Buffer, isBinary) => received.push([data.toString(), isBinary]))
      })
      const listener = new RecordingListener()
      const engine = create(listener)
      engine.dial(dialOf(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/`))
      await listener.open(0)
      const long = 'ü'.repeat(40_000)
      engine.send(0, 'ping')
      engine.send(0, Buffer.from('bytes'))
      engine.send(0, 'x'.repeat(200))
      engine.send(0, long)
      await eventually(() => received.length === 4, 'the target has them')
      assert.deepEqual(received, [
        ['ping', false],
        ['bytes', true],
        ['x'.repeat(200), false],
        [long, false],
      ])
      engine.close(0, 1000)
      assert.deepEqual(await listener.end(0), { code: undefined, closeCode: 1000, wasOpen: true, text: 'closed by the client' })
      server.close()
    })

    it('hears a real server: fragments, pings in between and large messages', async () => {
      const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false })
      await once(server, 'listening')
      const pongs: string[] = []
      const large = 'x'.repeat(LIMIT_BYTES)
      server.on('connection', (socket) => {
        socket.on('pong', (data) => pongs.push(data.toString()))
        socket.send('one ', { fin: false })
        socket.ping('still there?')
        socket.send('two', { fin: true })
        socket.send(large)
        socket.send(Buffer.from(large), { fin: false })
        socket.send(Buffer.alloc(0), { fin: true })
        socket.close(4_000, 'that was all')
      })
      const listener = new RecordingListener()
      create(listener).dial(dialOf(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/`))
      assert.deepEqual(await listener.end(0), {
        code: 'closed-by-target',
        closeCode: 4_000,
        wasOpen: true,
        text: 'close 4000: that was all',
      })
      assert.deepEqual(
        listener.messages.map(({ payload, isBinary }) => [payload.toString() === large || payload.toString(), isBinary]),
        [
          ['one two', false],
          [true, false],
          [true, true],
        ],
      )
      assert.deepEqual(pongs, ['still there?'])
      server.close()
    })

    it('ignores what is sent before it is open and after it has ended', async () => {
      await withTarget(sending(closeFrame(1001)), async ({ listener, engine }) => {
        engine.send(0, 'too early')
        await listener.end(0)
        engine.send(0, 'too late')
        engine.close(0, 1000)
        engine.abort(0, 'protocol-error', 'too late')
        assert.equal(listener.ends.length, 1)
      })
    })

    const answers: [what: string, onHead: (socket: Socket, head: string) => void, expected: Partial<ConnectionEnd>][] = [
      ['a reset before the answer', (socket) => socket.resetAndDestroy(), { code: 'reset-before-upgrade', wasOpen: false }],
      ['an end before the answer', (socket) => socket.end(), { code: 'reset-before-upgrade', wasOpen: false }],
      ['half an answer', (socket) => socket.end('HTTP/1.1 101 Switch'), { code: 'reset-before-upgrade', wasOpen: false }],
      [
        'another status',
        (socket) => socket.end('HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n'),
        { code: 'http-status', httpStatus: 503, wasOpen: false },
      ],
      ['a redirection', (socket) => socket.end('HTTP/1.1 302 Found\r\nLocation: /x\r\n\r\n'), { code: 'http-status', httpStatus: 302 }],
      ['an answer that is not HTTP', (socket) => socket.end('220 smtp ready\r\n\r\n'), { code: 'bad-upgrade', wasOpen: false }],
      [
        'a wrong Sec-WebSocket-Accept',
        (socket, head) => socket.write(upgradeAnswer(head).replace(/Accept: .*/, 'Accept: bm90IHRoZSByaWdodCBvbmU=')),
        { code: 'bad-upgrade', wasOpen: false },
      ],
      [
        'no Upgrade header',
        (socket, head) => socket.end(upgradeAnswer(head).replace(/Upgrade: websocket\r\n/, '')),
        { code: 'bad-upgrade' },
      ],
      [
        'a subprotocol nobody asked for',
        (socket, head) => socket.write(upgradeAnswer(head, ['Sec-WebSocket-Protocol: x'])),
        { code: 'bad-upgrade' },
      ],
      [
        'an extension nobody asked for',
        (socket, head) => socket.write(upgradeAnswer(head, ['Sec-WebSocket-Extensions: permessage-deflate'])),
        { code: 'bad-upgrade' },
      ],
      [
        'a close frame',
        sending(closeFrame(1013, 'try again')),
        { code: 'closed-by-target', closeCode: 1013, wasOpen: true, text: 'close 1013: try again' },
      ],
      ['an empty close frame', sending(frame(CLOSE)), { code: 'closed-by-target', closeCode: 1005, wasOpen: true }],
      [
        'an end without a close frame',
        (socket, head) => socket.end(upgradeAnswer(head)),
        { code: 'cut-by-target', closeCode: 1006, wasOpen: true },
      ],
      [
        'half a frame and an end',
        (socket, head) => socket.end(Buffer.concat([Buffer.from(upgradeAnswer(head)), frame(TEXT, 'cut').subarray(0, 3)])),
        { code: 'cut-by-target' },
      ],
      ['a close code out of range', sending(closeFrame(1006)), { code: 'protocol-error', wasOpen: true }],
      ['a close frame of one byte', sending(frame(CLOSE, 'x')), { code: 'protocol-error' }],
      ['a close reason that is not UTF-8', sending(closeFrame(1000, Buffer.from([0xff]))), { code: 'protocol-error' }],
      ['a masked frame', sending(frame(TEXT, 'x', { masked: true })), { code: 'protocol-error', wasOpen: true }],
      ['reserved bits', sending(frame(TEXT, 'x', { reserved: 4 })), { code: 'protocol-error' }],
      ['an unknown opcode', sending(frame(3, 'x')), { code: 'protocol-error' }],
      ['an unknown control opcode', sending(frame(11)), { code: 'protocol-error' }],
      ['a control frame in fragments', sending(frame(PING, 'x', { fin: false })), { code: 'protocol-error' }],
      ['a control frame that is too long', sending(frame(PING, Buffer.alloc(126))), { code: 'protocol-error' }],
      ['a continuation of nothing', sending(frame(CONTINUATION, 'x')), { code: 'protocol-error' }],
      ['a message inside another', sending(frame(TEXT, 'x', { fin: false }), frame(TEXT, 'y')), { code: 'protocol-error' }],
      [
        'more fragments than anybody needs',
        sending(frame(TEXT, '', { fin: false }), ...Array(16_385).fill(frame(CONTINUATION, '', { fin: false }))),
        { code: 'protocol-error' },
      ],
      [
        'a message over the limit',
        sending(frame(BINARY, Buffer.alloc(LIMIT_BYTES + 1)).subarray(0, 20)),
        { code: 'frame-too-big', wasOpen: true },
      ],
      [
        'fragments that are over the limit together',
        sending(frame(BINARY, Buffer.alloc(LIMIT_BYTES), { fin: false }), frame(CONTINUATION, 'x')),
        { code: 'frame-too-big' },
      ],
      ['a length beyond 2^53', sending(Buffer.from([0x82, 127, 255, 255, 255, 255, 255, 255, 255, 255])), { code: 'frame-too-big' }],
    ]
    for (const [what, onHead, expected] of answers) {
      it(`books ${what} as ${expected.code}`, async () => {
        const end = await endOf(onHead)
        assert.deepEqual({ ...end, ...expected }, end)
      })
    }

    it('says 1002 to a target that broke the protocol and 1009 to one that sent too much', async () => {
      const cases: [bytes: Buffer, code: number][] = [
        [frame(TEXT, 'x', { masked: true }), 1002],
        [frame(BINARY, Buffer.alloc(LIMIT_BYTES + 1)).subarray(0, 20), 1009],
      ]
      for (const [bytes, code] of cases) {
        const heard: Buffer[] = []
        await withTarget(
          (socket, head) => {
            socket.on('data', (chunk) => heard.push(chunk))
            sending(bytes)(socket, head)
          },
          async ({ listener }) => {
            await listener.end(0)
            assert.equal(readClientFrames(Buffer.concat(heard))[0]?.payload.readUInt16BE(0), code)
          },
        )
      }
    })

    it('answers a close frame with the same code', async () => {
      const heard: Buffer[] = []
      await withTarget(
        (socket, head) => {
          socket.on('data', (chunk) => heard.push(chunk))
          sending(closeFrame(4_001, 'why'))(socket, head)
        },
        async ({ listener }) => {
          await listener.end(0)
          const [answer] = readClientFrames(Buffer.concat(heard))
          assert.equal(answer?.opcode, CLOSE)
          assert.equal(answer?.isMasked, true)
          assert.equal(answer?.payload.readUInt16BE(0), 4_001)
        },
      )
    })

    it('books a reset of the open connection as reset-by-target', async () => {
      await withTarget(sending(), async ({ listener, target }) => {
        await listener.open(0)
        target.sockets[0]!.resetAndDestroy()
        const end = await listener.end(0)
        assert.deepEqual([end.code, end.closeCode, end.wasOpen], ['reset-by-target', 1006, true])
      })
    })

    it('hands over nothing after a fault', async () => {
      await withTarget(sending(frame(TEXT, 'before'), frame(TEXT, 'x', { masked: true }), frame(TEXT, 'after')), async ({ listener }) => {
        await listener.end(0)
        assert.deepEqual(await listener.texts(1), ['before'])
      })
    })

    it('hands over nothing after a close frame', async () => {
      await withTarget(sending(frame(TEXT, 'before'), closeFrame(1000), frame(TEXT, 'after')), async ({ listener }) => {
        await listener.end(0)
        assert.deepEqual(await listener.texts(1), ['before'])
      })
    })

    it('hands over nothing after an abort in the middle of a read', async () => {
      await withTarget(sending(frame(TEXT, 'one'), frame(TEXT, 'two')), async ({ listener, engine }) => {
        listener.onEachMessage = () => engine.abort(0, 'protocol-error', 'the dialect says so')
        assert.deepEqual(await listener.end(0), { code: 'protocol-error', wasOpen: true, text: 'the dialect says so' })
        assert.deepEqual(await listener.texts(1), ['one'])
      })
    })

    it('ends a close that the target does not answer after a short grace', async () => {
      await withTarget(sending(), async ({ listener, engine }) => {
        await listener.open(0)
        engine.close(0, 1000)
        const end = await listener.end(0)
        assert.deepEqual([end.code, end.wasOpen], [undefined, true])
      })
    })

    it('ends a target that said goodbye and keeps the connection', async () => {
      await withTarget(
        (socket, head) => {
          socket.allowHalfOpen = true
          sending(closeFrame(1001))(socket, head)
        },
        async ({ listener }) => {
          assert.equal((await listener.end(0)).closeCode, 1001)
        },
      )
    })

    it('knows whether a silent target was reached at all', async () => {
      const target = await startRawTarget(() => undefined)
      const listener = new RecordingListener()
      const engine = create(listener)
      engine.dial(dialOf(target.url))
      assert.equal(engine.isConnected(0), false)
      await eventually(() => engine.isConnected(0), 'TCP stands')
      engine.abort(0, 'handshake-timeout', 'no answer')
      assert.deepEqual(listener.ends, [{ slot: 0, end: { code: 'handshake-timeout', wasOpen: false, text: 'no answer' } }])
      await target.close()
    })

    it('does not answer pings of a target that reads nothing without bound', async () => {
      const pings = Buffer.concat(Array(2_000).fill(frame(PING, Buffer.alloc(125))))
      await withTarget(
        (socket, head) => {
          socket.pause()
          for (let round = 0; round < 20; round++)
            socket.write(round === 0 ? Buffer.concat([Buffer.from(upgradeAnswer(head)), pings]) : pings)
          socket.write(frame(TEXT, 'still there'))
        },
        async ({ listener }) => {
          assert.deepEqual(await listener.texts(1), ['still there'])
        },
      )
    })

    it('understands an answer that comes byte by byte', async () => {
      await withTarget(
        async (socket, head) => {
          socket.setNoDelay(true)
          for (const byte of Buffer.concat([Buffer.from(upgradeAnswer(head)), frame(TEXT, 'at last')])) {
            socket.write(Buffer.from([byte]))
            await new Promise((resolve) => setImmediate(resolve))
          }
        },
        async ({ listener }) => {
          assert.deepEqual(await listener.texts(1), ['at last'])
        },
      )
    })

    it('is told nothing bad about a connection that is ended on purpose', async () => {
      await withTarget(sending(), async ({ listener, engine }) => {
        await listener.open(0)
        engine.abort(0, undefined, 'enough')
        assert.deepEqual(listener.ends, [{ slot: 0, end: { code: undefined, wasOpen: true, text: 'enough' } }])
      })
      await withTarget(
        () => undefined,
        async ({ listener, engine }) => {
          await eventually(() => engine.isConnected(0), 'TCP stands')
          engine.close(0, 1000)
          assert.deepEqual(listener.ends, [{ slot: 0, end: { code: undefined, wasOpen: false, text: 'closed before it was open' } }])
        },
      )
    })

    it('frees the slot with the end', async () => {
      const target = await startRawTarget((socket, head) => socket.write(upgradeAnswer(head)))
      const listener = new RecordingListener()
      const engine = create(listener)
      engine.dial(dialOf(target.url))
      await listener.open(0)
      engine.abort(0, 'protocol-error', 'once')
      engine.dial(dialOf(target.url))
      await eventually(() => target.sockets.length === 2 && target.sockets[0]!.destroyed, 'the first socket is gone')
      engine.send(0, 'hello')
      engine.abort(0, 'protocol-error', 'twice')
      assert.deepEqual(
        listener.ends.map(({ end }) => end.text),
        ['once', 'twice'],
      )
      await target.close()
    })
  })

  describe(`a dial of the ${name} engine that goes nowhere`, () => {
    async function failureOf(url: string, more: DialChanges = {}): Promise<ConnectionEnd> {
      const listener = new RecordingListener()
      create(listener).dial(dialOf(url, more))
      assert.equal(listener.ends.length, 0, 'ends are told after the dial')
      const end = await listener.end(0)
      assert.equal(end.wasOpen, false)
      return end
    }

    const closedPort = async (): Promise<number> => {
      const target = await startRawTarget(() => undefined)
      await target.close()
      return target.port
    }

    it('is refused when nobody listens', async () => {
      assert.equal((await failureOf(`ws://127.0.0.1:${await closedPort()}/`)).code, 'refused')
    })

    it('is a matter of names when the name is unknown', async () => {
      assert.equal((await failureOf('ws://no-such-host.invalid/')).code, 'dns')
    })

    it('goes to the address it is given, whatever the name', async () => {
      const port = await closedPort()
      const end = await failureOf(`ws://no-such-host.invalid:${port}/`, { remoteAddress: '127.0.0.1' })
      assert.equal(end.code, 'refused')
    })

    it('has no port when another socket listens on it', async () => {
      const target = await startRawTarget(() => undefined)
      const end = await failureOf(target.url, { localAddress: '127.0.0.1', localPort: target.port })
      assert.equal(end.code, 'no-ports')
      await target.close()
    })

    it('is told as an error when Node refuses its options', async () => {
      assert.equal((await failureOf('ws://127.0.0.1:9/', { localAddress: 'not an address' })).code, 'socket-error')
    })
  })
}
