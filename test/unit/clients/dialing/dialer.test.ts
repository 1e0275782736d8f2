import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Dialer, type DialerParts } from '../../../../src/clients/dialing/dialer.ts'
import { LocalPorts } from '../../../../src/clients/dialing/local-ports.ts'
import { TargetAddresses } from '../../../../src/clients/dialing/target-addresses.ts'
import type { ConnectionEnd, Dial, Engine } from '../../../../src/clients/engine.ts'
import type { CountedCode } from '../../../../src/errors.ts'
import { eventually } from '../../../doubles/eventually.ts'

const both = [
  { address: '::1', family: 6 },
  { address: '127.0.0.1', family: 4 },
]
const handshake = { url: new URL('ws://target/'), requestTarget: '/', headers: {}, subprotocols: [] }

/** A dialer whose engine only writes down what it is asked to do. */
async function dialerOf(more: Partial<DialerParts> & { addresses?: TargetAddresses } = {}) {
  const dials: Dial[] = []
  const aborts: [slot: number, code: CountedCode | undefined][] = []
  const booked: number[] = []
  const impossible: [slot: number, code: CountedCode | undefined][] = []
  const connected = new Set<number>()
  const engine: Engine = {
    dial: (dial) => dials.push(dial),
    abort: (slot, code) => aborts.push([slot, code]),
    isConnected: (slot) => connected.has(slot),
    send: () => undefined,
    close: () => undefined,
    reads: 0,
    frames: 0,
    bytes: 0,
  }
  const counted = { portRetries: 0 }
  const at = { us: 1_000_000 }
  const dialer = new Dialer({
    engine,
    clients: [0, 1, 2, 3],
    pacing: { startUs: 0, ratePerSecond: 1e9, concurrency: 100, firstClient: 0 },
    connectTimeoutMs: 100,
    targetPorts: [80],
    sourceAddresses: [],
    addresses: await TargetAddresses.resolve(['target'], 1_000, async () => both),
    ports: new LocalPorts({ first: 10, last: 13 }, 0),
    nowUs: () => at.us,
    handshakeOf: () => handshake,
    onDial: (slot) => booked.push(slot),
    onPortRetry: () => {
      counted.portRetries++
    },
    onImpossible: (slot, end) => impossible.push([slot, end.code]),
    ...more,
  })
  return { dialer, dials, aborts, booked, impossible, connected, counted, at }
}

const failed = (code: CountedCode): ConnectionEnd => ({ code, wasOpen: false, text: '' })

describe('the dialer', () => {
  it('keeps to the limit of handshakes in flight', async () => {
    const { dialer, booked } = await dialerOf({ pacing: { startUs: 0, ratePerSecond: 1e9, concurrency: 2, firstClient: 0 } })
    dialer.start()
    assert.deepEqual(booked, [0, 1])
    dialer.opened(1)
    assert.deepEqual(booked, [0, 1, 2])
    assert.equal(dialer.triesAgain(0, failed('http-status')), false)
    assert.deepEqual(booked, [0, 1, 2, 3])
  })

  it('dials again only where there is room for a handshake', async () => {
    const { dialer, booked } = await dialerOf({
      clients: [0, 1],
      pacing: { startUs: 0, ratePerSecond: 1e9, concurrency: 1, firstClient: 0 },
    })
    dialer.start()
    dialer.stop()
    assert.equal(dialer.dialAgain(0), false)
    dialer.opened(0)
    assert.equal(dialer.dialAgain(0), true)
    assert.deepEqual(booked, [0, 0])
  })

  it('dials each client when it is due', async () => {
    const { dialer, booked, at } = await dialerOf({ pacing: { startUs: 1_000_000, ratePerSecond: 200, concurrency: 9, firstClient: 0 } })
    dialer.start()
    assert.deepEqual(booked, [0])
    at.us += 10_000
    await eventually(() => booked.length === 3, 'two more are dialed')
    dialer.stop()
    assert.deepEqual(booked, [0, 1, 2])
  })

  it('tries the next address of a name only while none has worked', async () => {
    const { dialer, dials } = await dialerOf()
    dialer.start()
    assert.equal(dialer.triesAgain(0, failed('refused')), true)
    assert.equal(dials.at(-1)!.remoteAddress, '127.0.0.1')
    dialer.opened(0)
    // this one was dialed at the first address, too
    assert.equal(dialer.triesAgain(1, failed('refused')), false)
  })

  it('fails a dial that no address of the name took', async () => {
    const { dialer } = await dialerOf()
    dialer.start()
    assert.equal(dialer.triesAgain(0, failed('unreachable')), true)
    assert.equal(dialer.triesAgain(0, failed('refused')), false)
  })

  it('does not repeat what a target answered', async () => {
    const { dialer } = await dialerOf()
    dialer.start()
    for (const [slot, code] of (['http-status', 'bad-upgrade', 'reset-before-upgrade', 'tls'] as const).entries()) {
      assert.equal(dialer.triesAgain(slot, failed(code)), false)
    }
  })

  it('tries another local port until all were busy in a row', async () => {
    const { dialer, dials, counted } = await dialerOf({ sourceAddresses: ['127.0.0.2'], clients: [0] })
    dialer.start()
    const answers = [1, 2, 3, 4].map(() => dialer.triesAgain(0, failed('no-ports')))
    assert.deepEqual(answers, [true, true, true, false])
    assert.deepEqual(
      dials.map(({ localPort }) => localPort),
      [10, 11, 12, 13],
    )
    assert.equal(counted.portRetries, 3)
  })

  it('does not choose ports when it was given no source address', async () => {
    const { dialer, dials } = await dialerOf({ clients: [0] })
    dialer.start()
    assert.deepEqual([dials[0]!.localAddress, dials[0]!.localPort], [undefined, undefined])
    assert.equal(dialer.triesAgain(0, failed('no-ports')), false)
  })

  it('cannot dial a target without an address of the family of the source', async () => {
    const addresses = await TargetAddresses.resolve(['target'], 1_000, async () => [both[0]!])
    const { dialer, dials, booked, impossible } = await dialerOf({ sourceAddresses: ['127.0.0.2'], addresses, clients: [0] })
    dialer.start()
    assert.deepEqual([dials, booked, impossible], [[], [0], [[0, 'dns']]])
  })

  it('gives up after the timeout, by how far the dial has come', async () => {
    const { dialer, aborts, connected, at } = await dialerOf({ clients: [0, 1] })
    dialer.start()
    connected.add(1)
    dialer.expire(at.us + 99_999)
    assert.deepEqual(aborts, [])
    dialer.expire(at.us + 100_000)
    assert.deepEqual(aborts, [
      [0, 'connect-timeout'],
      [1, 'handshake-timeout'],
    ])
  })
})
