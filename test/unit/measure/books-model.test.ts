/**
 * The books against a model that keeps every arrival in plain sets: whatever the target drops, repeats, swaps or delays, whoever is
 * away when, and whatever became of the probes at the broker, every counter is the model's and the identity holds.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Books } from '../../../src/measure/books.ts'
import { Booking, type BookingCode, Ledger } from '../../../src/measure/ledger.ts'
import { ProbeState, type PublisherLog } from '../../../src/measure/publisher-log.ts'
import { emptySnapshot, mergeSnapshots } from '../../../src/measure/snapshot-merge.ts'
import { ThreadWatch } from '../../../src/measure/thread-watch.ts'
import { ManualClock } from '../../doubles/manual-clock.ts'

const START_US = 1_760_000_000_000_000
const GAP_US = 1_000

interface Arrival {
  readonly slot: number
  readonly stream: number
  readonly sequence: number
  readonly isRedelivery: boolean
}

interface Scenario {
  readonly streamCount: number
  /** By stream, by sequence. */
  readonly states: number[][]
  readonly clients: {
    readonly readyAt: number | undefined
    readonly absences: readonly { readonly at: number; readonly length: number | undefined }[]
  }[]
  readonly beforeDrainEnd: readonly Arrival[]
  readonly afterDrainEnd: readonly Arrival[]
  readonly takesBetween: boolean
}

/** Times are counted in gaps from the start; probe n of a stream is sent at n gaps. */
const scenarios: fc.Arbitrary<Scenario> = fc
  .record({
    streamCount: fc.integer({ min: 1, max: 3 }),
    clientCount: fc.integer({ min: 1, max: 4 }),
    count: fc.integer({ min: 1, max: 25 }),
  })
  .chain(({ streamCount, clientCount, count }) => {
    const state = fc.oneof(
      { weight: 6, arbitrary: fc.constant(ProbeState.confirmed) },
      { weight: 1, arbitrary: fc.constantFrom(...Object.values(ProbeState)) },
    )
    const arrival = fc.record({
      slot: fc.nat(clientCount - 1),
      stream: fc.nat(streamCount - 1),
      sequence: fc.nat(count - 1),
      isRedelivery: fc.boolean(),
    })
    const absence = fc.record({ at: fc.integer({ min: 0, max: count + 3 }), length: fc.option(fc.nat(6), { nil: undefined }) })
    return fc.record({
      streamCount: fc.constant(streamCount),
      states: fc.array(fc.array(state, { minLength: count, maxLength: count }), { minLength: streamCount, maxLength: streamCount }),
      clients: fc.array(
        fc.record({
          readyAt: fc.option(fc.oneof(fc.constant(0), fc.nat(count)), { nil: undefined }),
          absences: fc.array(absence, { maxLength: 2 }),
        }),
        { minLength: clientCount, maxLength: clientCount },
      ),
      beforeDrainEnd: fc.array(arrival, { maxLength: 150 }),
      afterDrainEnd: fc.array(arrival, { maxLength: 20 }),
      takesBetween: fc.boolean(),
    })
  })

const sentUs = (sequence: number): number => START_US + sequence * GAP_US
const streamsOf = (slot: number, streamCount: number): number[] => [...new Set([slot % streamCount, (slot * 2 + 1) % streamCount])]

/** Absences one after the other, the last of which may be for good. */
function absencesOf({ readyAt, absences }: Scenario['clients'][number]): { fromUs: number; untilUs: number }[] {
  if (readyAt === undefined) return []
  const found: { fromUs: number; untilUs: number }[] = []
  let freeAt = readyAt
  for (const { at, length } of absences) {
    const from = Math.max(at, freeAt) + 0.5
    if (!Number.isFinite(from)) break
    freeAt = length === undefined ? Number.POSITIVE_INFINITY : from + length + 0.25
    found.push({ fromUs: START_US + from * GAP_US, untilUs: START_US + freeAt * GAP_US })
  }
  return found
}

function run(scenario: Scenario, makeLedger?: (rows: number, maxBytes: number) => Ledger) {
  const { streamCount, states, clients } = scenario
  const count = states[0]!.length
  const clock = new ManualClock(START_US)
  const books = new Books(
    {
      clock,
      replica: 2,
      thread: 1,
      role: 'crowd',
      clients: clients.map((_, slot) => 100 + slot),
      targetOf: clients.map((_, slot) => slot % 2),
      streamsOf: (slot) => streamsOf(slot, streamCount),
      sequenceLimit: count,
      ledgerMemoryMb: 1,
      expectsResends: false,
      watch: new ThreadWatch({ clock, replica: 2, thread: 1, role: 'crowd' }),
    },
    makeLedger,
  )
  const log: PublisherLog = {
    streams: states.map((column, stream) => ({
      stream,
      count,
      sentUs: Float64Array.from(column, (state, sequence) => (state === ProbeState.absent ? 0 : sentUs(sequence))),
      states: Uint8Array.from(column),
    })),
  }
  const drainEndedUs = sentUs(count + 10)
  let total = emptySnapshot()
  const take = () => {
    total = mergeSnapshots(total, books.takeSnapshot())
  }

  clients.forEach((client, slot) => {
    books.dialed(slot, START_US - 10_000)
    books.opened(slot, START_US - 5_000, '127.0.0.1', 40_000 + slot)
    if (client.readyAt === undefined) return
    books.ready(slot, sentUs(client.readyAt))
    for (const { fromUs, untilUs } of absencesOf(client)) {
      books.ended(slot, fromUs, { code: 'cut-by-target', closeCode: 1006, wasOpen: true }, untilUs < Number.POSITIVE_INFINITY)
      if (untilUs === Number.POSITIVE_INFINITY) break
      books.dialed(slot, untilUs - 2)
      books.opened(slot, untilUs - 1, '127.0.0.1', 50_000 + slot)
      books.ready(slot, untilUs)
    }
  })
  let receivedUs = sentUs(count)
  const deliver = ({ slot, stream, sequence, isRedelivery }: Arrival) => {
    // Nobody hears what was never published.
    if (states[stream]![sequence] === ProbeState.absent) return
    books.delivery(slot, { stream, sequence, intendedUs: sentUs(sequence), sentUs: sentUs(sequence) }, receivedUs++, isRedelivery)
  }
  scenario.beforeDrainEnd.forEach((arrival, index) => {
    deliver(arrival)
    if (scenario.takesBetween && index % 10 === 9) {
      books.expect(log)
      take()
    }
  })
  books.expect(log)
  take()
  const beforeDrainEnd = total
  books.settle(log, drainEndedUs)
  scenario.afterDrainEnd.forEach(deliver)
  books.close()
  take()
  return { total, beforeDrainEnd, log, drainEndedUs }
}

function model(scenario: Scenario, drainEndedUs: number) {
  const { states, clients, streamCount } = scenario
  const counts = {
    expected: 0,
    delivered: 0,
    missed: 0,
    lost: 0,
    duplicated: 0,
    redelivered: 0,
    outOfOrder: 0,
    early: 0,
    late: 0,
    unexpected: 0,
  }
  const heard = states.map(() => new Set<number>())
  const got = clients.map(() => states.map(() => new Set<number>()))
  const gotLate = clients.map(() => states.map(() => new Set<number>()))
  const missing: string[] = []
  const owedTo = new Set<number>()
  const readyUs = clients.map(({ readyAt }) => (readyAt === undefined ? Number.POSITIVE_INFINITY : sentUs(readyAt)))

  const arrive = ({ slot, stream, sequence, isRedelivery }: Arrival, isAfterDrain: boolean) => {
    if (states[stream]![sequence] === ProbeState.absent) return
    if (!streamsOf(slot, streamCount).includes(stream)) {
      counts.unexpected++
      return
    }
    if (sentUs(sequence) < readyUs[slot]!) {
      counts.early++
      return
    }
    const known = got[slot]![stream]!
    const knownLate = gotLate[slot]![stream]!
    if (known.has(sequence) || knownLate.has(sequence)) {
      if (isRedelivery) counts.redelivered++
      else counts.duplicated++
      return
    }
    if (isAfterDrain) {
      counts.late++
      knownLate.add(sequence)
      return
    }
    counts.delivered++
    if (sequence < Math.max(-1, ...known)) counts.outOfOrder++
    known.add(sequence)
    heard[stream]!.add(sequence)
  }
  for (const arrival of scenario.beforeDrainEnd) arrive(arrival, false)
  for (const arrival of scenario.afterDrainEnd) arrive(arrival, true)

  clients.forEach((client, slot) => {
    for (const stream of streamsOf(slot, streamCount).sort((a, b) => a - b)) {
      states[stream]!.forEach((state, sequence) => {
        const isOwed = state === ProbeState.confirmed || (state !== ProbeState.absent && heard[stream]!.has(sequence))
        if (!isOwed || sentUs(sequence) < readyUs[slot]!) return
        counts.expected++
        owedTo.add(slot)
        if (got[slot]![stream]!.has(sequence)) return
        const wasAway = absencesOf(client).some(({ fromUs, untilUs }) => fromUs < drainEndedUs && untilUs > sentUs(sequence))
        if (wasAway) counts.missed++
        else counts.lost++
        missing.push(`${100 + slot} ${stream} ${sequence} ${wasAway ? 'missed' : 'lost'}`)
      })
    }
  })
  const heardNothing = clients.filter((_, slot) => {
    const hasHeard = scenario.beforeDrainEnd
      .concat(scenario.afterDrainEnd)
      .some(
        (arrival) =>
          arrival.slot === slot &&
          states[arrival.stream]![arrival.sequence] !== ProbeState.absent &&
          streamsOf(slot, streamCount).includes(arrival.stream),
      )
    return owedTo.has(slot) && !hasHeard
  }).length
  return { counts, missing, heardNothing, got }
}

test('every counter is that of the model, and expected = delivered + missed + lost', () => {
  fc.assert(
    fc.property(scenarios, (scenario) => {
      const { total, beforeDrainEnd, drainEndedUs } = run(scenario)
      const { counts, missing, got } = model(scenario, drainEndedUs)
      const { measured } = total
      for (const [name, value] of Object.entries(counts)) assert.equal(measured[name as keyof typeof measured], value, name)
      assert.equal(measured.expected, measured.delivered + measured.missed + measured.lost)
      assert.equal(total.unbalancedRows, 0)
      assert.deepEqual(
        total.missing.map(({ client, stream, sequence, why }) => `${client} ${stream} ${sequence} ${why}`),
        missing,
      )
      // Before the drain ended nothing was lost; what is not delivered and not missed was still outstanding.
      assert.equal(beforeDrainEnd.measured.lost, 0)
      assert.equal(beforeDrainEnd.measured.expected, counts.expected)
      assert.ok(beforeDrainEnd.measured.missed <= counts.missed)

      const heardBy = new Map<string, number>()
      const probesHeard = got.flatMap((streams) =>
        streams.flatMap((known, stream) => [...known].map((sequence) => `${stream} ${sequence}`)),
      )
      for (const probe of probesHeard) heardBy.set(probe, (heardBy.get(probe) ?? 0) + 1)
      const rows = Array.from(
        total.fanout.count,
        (count, row) => [`${total.fanout.stream[row]} ${total.fanout.sequence[row]}`, count] as const,
      )
      assert.deepEqual(Object.fromEntries(rows), Object.fromEntries(heardBy))
      assert.equal(total.latencyUs.count, counts.delivered)
      assert.equal(
        total.timeline.reduce((sum, second) => sum + second.delivered, 0),
        counts.delivered,
      )
      assert.equal(
        total.targets.reduce((sum, target) => sum + target.delivered, 0),
        counts.delivered,
      )
    }),
    { numRuns: 500 },
  )
})

test('the books of the streams are those of their rows, and add up to the total', () => {
  fc.assert(
    fc.property(scenarios, (scenario) => {
      const { total, drainEndedUs } = run(scenario)
      const { missing, got } = model(scenario, drainEndedUs)
      const lacking = (stream: number, why: string) =>
        missing.filter((line) => line.split(' ')[1] === String(stream) && line.endsWith(why)).length
      for (const { stream, clients, ...row } of total.streams) {
        const members = scenario.clients.filter(
          ({ readyAt }, slot) => readyAt !== undefined && streamsOf(slot, scenario.streamCount).includes(stream),
        )
        assert.equal(clients, members.length)
        const delivered = got.reduce((sum, streams) => sum + streams[stream]!.size, 0)
        assert.deepEqual(row, {
          expected: delivered + row.missed + row.lost,
          delivered,
          missed: lacking(stream, 'missed'),
          lost: lacking(stream, 'lost'),
        })
      }
      const sum = (name: 'expected' | 'delivered') => total.streams.reduce((all, row) => all + row[name], 0)
      assert.deepEqual([sum('expected'), sum('delivered')], [total.measured.expected, total.measured.delivered])
    }),
  )
})

test('clients that heard nothing are counted, and the worst clients come first', () => {
  fc.assert(
    fc.property(scenarios, (scenario) => {
      const onTime = { ...scenario, afterDrainEnd: [] }
      const { total, drainEndedUs } = run(onTime)
      const { heardNothing, missing } = model(onTime, drainEndedUs)
      assert.equal(total.heardNothing, heardNothing)
      const byClient = new Map<number, number>()
      for (const line of missing) byClient.set(Number(line.slice(0, 3)), (byClient.get(Number(line.slice(0, 3))) ?? 0) + 1)
      const listed = total.worstClients.map(({ client, missed, lost }) => [client, missed + lost] as const)
      assert.deepEqual(new Map(listed.filter(([, shortfall]) => shortfall > 0)), byClient)
      assert.deepEqual(
        listed.map(([, shortfall]) => shortfall),
        listed.map(([, shortfall]) => shortfall).sort((a, b) => b - a),
      )
    }),
  )
})

test('a single booking that is skipped trips the identity', () => {
  /** Knows that the fifth probe arrived, but reports it as a copy, so that nobody counts it. */
  class ForgetfulLedger extends Ledger {
    #calls = 0
    override book(row: number, sequence: number): BookingCode {
      const booking = super.book(row, sequence)
      return ++this.#calls === 5 ? Booking.copy : booking
    }
  }
  /** Books one arrival twice as a first one. */
  class GenerousLedger extends Ledger {
    override book(row: number, sequence: number): BookingCode {
      const booking = super.book(row, sequence)
      return booking === Booking.copy ? Booking.inOrder : booking
    }
  }
  const arrival = (sequence: number): Arrival => ({ slot: 0, stream: 0, sequence, isRedelivery: false })
  const scenario: Scenario = {
    streamCount: 1,
    states: [new Array(20).fill(ProbeState.confirmed)],
    clients: [{ readyAt: 0, absences: [] }],
    beforeDrainEnd: [...Array.from({ length: 18 }, (_, sequence) => arrival(sequence)), arrival(3)],
    afterDrainEnd: [],
    takesBetween: false,
  }
  const isBalanced = ({ total: { measured, unbalancedRows } }: ReturnType<typeof run>) =>
    measured.expected === measured.delivered + measured.missed + measured.lost && unbalancedRows === 0
  assert.equal(isBalanced(run(scenario)), true)
  assert.equal(isBalanced(run(scenario, (rows, maxBytes) => new ForgetfulLedger(rows, maxBytes))), false)
  assert.equal(isBalanced(run(scenario, (rows, maxBytes) => new GenerousLedger(rows, maxBytes))), false)
})
