/**
 * Scenarios, drawn: everything the target and the broker can do wrong, singly and together, against a run of drawn shape. Plain
 * data, so that a scenario that failed can be printed, shrunk and played again.
 */
import fc from 'fast-check'
import type { Fault } from '../../../src/embedded/faults/fault.ts'
import type { Deed, Habit } from '../../../src/target/habits/habit.ts'

/** Something that happens when the target has broadcast so many measured probes, or when nothing moves any more. */
export type Incident = { readonly afterProbes: number } & (
  | { readonly what: 'deed'; readonly deed: Deed }
  /** `clearMs`: a standing fault ends after that time. */
  | { readonly what: 'fault'; readonly fault: Fault; readonly clearMs?: number }
  /** The tester's process is stopped and goes on `ms` later. */
  | { readonly what: 'pause'; readonly ms: number }
  | { readonly what: 'interrupt' }
)

/** INJECTOR=none: what another program publishes, in this order. */
export interface OtherProgram {
  readonly sequences: readonly number[]
  /** Probes that go out while clients still connect. */
  readonly beforeReady: number
  /** Whether MSG_COUNT says how many there are. */
  readonly isCounted: boolean
}

export interface Scenario {
  readonly clients: number
  readonly probes: number
  /** 0: as fast as confirms allow. */
  readonly gapMs: number
  readonly settings: Readonly<Record<string, string>>
  readonly habits: readonly Habit[]
  readonly incidents: readonly Incident[]
  readonly otherProgram: OtherProgram | undefined
}

/** At most as many as a snapshot names one by one (WORST_CLIENTS), so that every client's row can be compared. */
export const MAX_CLIENTS = 18
const MAX_PROBES = 60
/** Frames above this end a connection; `huge` intruders come on both sides of it. */
export const MAX_FRAME_BYTES = 200_000

const optionally = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined })

/** Some of the clients: by number, by chance, or all. */
const whichClients = fc.oneof(
  { weight: 3, arbitrary: fc.uniqueArray(fc.nat(MAX_CLIENTS - 1), { minLength: 1, maxLength: 5 }).map((clients) => ({ clients })) },
  { weight: 2, arbitrary: fc.record({ share: fc.double({ min: 0.1, max: 0.9, noNaN: true }), seed: fc.nat(1_000) }) },
  { weight: 1, arbitrary: fc.constant({}) },
)

const whichProbes = fc.oneof(
  fc.uniqueArray(fc.nat(MAX_PROBES - 1), { minLength: 1, maxLength: 6 }).map((sequences) => ({ sequences })),
  fc.record({ probability: fc.double({ min: 0.02, max: 0.5, noNaN: true }), seed: fc.nat(1_000) }),
)

const where = fc.tuple(whichClients, whichProbes).map(([clients, probes]) => ({ ...clients, ...probes }))

/** A habit with its place: `of('drop')`, `of('delay', { ms: … })`. */
function of<K extends string, F extends object>(kind: K, place: fc.Arbitrary<object>, fields: fc.Arbitrary<F> = fc.constant({} as F)) {
  return fc.tuple(place, fields).map(([which, more]) => ({ kind, ...which, ...more }) as unknown as Habit)
}

const manner = fc.constantFrom('close' as const, 'cut' as const, 'reset' as const)
const closing = fc.record({ how: manner, code: optionally(fc.constantFrom(1000, 1001, 1011, 1013, 4000)) }).map(withoutUndefined)
const harmless = fc.constantFrom('text', 'binary', 'invalid-utf8', 'ping', 'foreign', 'foreign', 'misroute', 'misroute')
const fatal = fc.constantFrom('masked', 'reserved-bit', 'bad-opcode', 'stray-continuation')

const deliveryHabit = fc.oneof(
  { weight: 3, arbitrary: of('drop', where) },
  { weight: 3, arbitrary: of('repeat', where, fc.record({ copies: fc.integer({ min: 1, max: 3 }) })) },
  {
    weight: 3,
    arbitrary: of(
      'swap',
      whichClients,
      fc.tuple(fc.nat(MAX_PROBES - 10), fc.integer({ min: 1, max: 9 })).map(([first, ahead]) => ({ first, second: first + ahead })),
    ),
  },
  {
    weight: 3,
    arbitrary: of('delay', where, fc.record({ ms: fc.oneof(fc.integer({ min: 1, max: 80 }), fc.integer({ min: 300, max: 700 })) })),
  },
  { weight: 2, arbitrary: of('fragment', where, fc.record({ pieces: fc.integer({ min: 2, max: 9 }), hasPingBetween: fc.boolean() })) },
  {
    weight: 2,
    arbitrary: of('batch', where, fc.record({ size: fc.integer({ min: 2, max: 5 }), waitMs: fc.integer({ min: 5, max: 60 }) })),
  },
  { weight: 3, arbitrary: of('insert', where, fc.record({ what: harmless })) },
  { weight: 1, arbitrary: of('insert', where, fc.record({ what: fatal })) },
  {
    weight: 1,
    arbitrary: of('insert', where, fc.record({ what: fc.constant('huge'), bytes: fc.integer({ min: 60_000, max: 2 * MAX_FRAME_BYTES }) })),
  },
  { weight: 2, arbitrary: of('end', where, closing) },
)

const someClients = fc.uniqueArray(fc.nat(MAX_CLIENTS - 1), { minLength: 1, maxLength: 4 }).map((clients) => ({ clients }))

const connectionHabit = fc.oneof(
  of('silent', someClients),
  of('status', someClients, fc.record({ status: fc.constantFrom(401, 403, 404, 429, 500, 503) })),
  of('bad-accept', someClients),
  of('accept-rate', fc.constant({}), fc.record({ perSecond: fc.integer({ min: 20, max: 300 }) })),
  of('never-ack', someClients),
  of('late-ack', someClients, fc.record({ ms: fc.integer({ min: 1, max: 600 }) })),
  of('demand-pong', whichClients, fc.record({ everyMs: fc.integer({ min: 10, max: 60 }), withinMs: fc.integer({ min: 40, max: 200 }) })),
  of('slow-cut', whichClients, fc.record({ depth: fc.nat(3) })),
)

/** Clients that become ready one after the other while probes go out already: what they hear before is early. */
const latecomers = fc
  .record({ perSecond: fc.integer({ min: 4, max: 8 }), ms: fc.integer({ min: 50, max: 350 }) })
  .map(({ perSecond, ms }) => ({
    habits: [
      { kind: 'accept-rate', perSecond },
      { kind: 'late-ack', ms },
    ] as Habit[],
    settings: { CONNECT_DEADLINE_MS: '100', CONNECT_TIMEOUT_MS: '5000', CONNECT_CONCURRENCY: '200', RESEND: 'off' },
  }))
const inTime = fc.constant({ habits: [] as Habit[], settings: {} })

const atSequence = fc.nat(MAX_PROBES - 1)

const timedHabit = fc.oneof(
  of(
    'freeze',
    fc.record({ atSequence }),
    fc.record({ ms: fc.oneof(fc.integer({ min: 5, max: 150 }), fc.integer({ min: 350, max: 600 })) }),
  ),
  of('restart', fc.record({ atSequence }), fc.record({ downMs: fc.integer({ min: 0, max: 150 }), how: manner })),
)

const deed: fc.Arbitrary<Deed> = fc.oneof(
  fc.record({ kind: fc.constant('freeze' as const), ms: fc.integer({ min: 5, max: 200 }) }),
  fc.record({ kind: fc.constant('restart' as const), downMs: fc.integer({ min: 0, max: 150 }), how: manner }),
  fc.tuple(someClients, closing).map(([clients, end]) => ({ kind: 'end' as const, ...clients, ...end }) as Deed),
  fc
    .record({ what: fc.constantFrom('text', 'binary', 'ping', 'foreign'), which: someClients })
    .map(({ what, which }) => ({ kind: 'insert', what, ...which }) as Deed),
)

const publisher = { role: 'publisher' as const }
const socketEnd = fc.constantFrom('reset' as const, 'end' as const)
const share = fc.oneof(fc.record({ next: fc.integer({ min: 1, max: 8 }) }), fc.record({ every: fc.integer({ min: 2, max: 9 }) }))
const clearMs = fc.integer({ min: 20, max: 250 })

type Strike = Pick<Extract<Incident, { what: 'fault' }>, 'fault' | 'clearMs'>

const strike: fc.Arbitrary<Strike> = fc.oneof(
  fc.record({ fault: fc.record({ kind: fc.constant('alarm' as const) }), clearMs }),
  fc.record({ fault: fc.record({ kind: fc.constant('withhold-deliveries' as const) }), clearMs: fc.oneof(clearMs, fc.constant(600)) }),
  fc.record({ fault: fc.record({ kind: fc.constant('confirm-delay' as const), delayMs: fc.integer({ min: 1, max: 60 }) }), clearMs }),
  fc.tuple(share, fc.boolean()).map(([some, isRouted]) => ({ fault: { kind: 'nack', ...some, isRouted } as Fault })),
  fc.record({ fault: fc.record({ kind: fc.constant('drop-sockets' as const), how: socketEnd, on: fc.constant(publisher) }) }),
  fc.record({ fault: fc.record({ kind: fc.constant('drop-sockets' as const), how: socketEnd }) }),
  fc.record({
    fault: fc.record({ kind: fc.constant('close-connections' as const), code: fc.constant(320 as const), on: fc.constant(publisher) }),
  }),
  fc.record({
    fault: fc.record({
      kind: fc.constant('close-channels' as const),
      code: fc.constantFrom(404 as const, 406 as const),
      on: fc.constant(publisher),
    }),
  }),
  fc.record({
    fault: fc.record({
      kind: fc.constant('refuse-method' as const),
      method: fc.constant('basic.publish' as const),
      code: fc.constant(404 as const),
      next: fc.constant(1),
    }),
  }),
)

/** Confirms that never come are settled by the loss of their connection. */
const lostConfirms: fc.Arbitrary<Incident[]> = fc
  .tuple(fc.nat(MAX_PROBES), share, fc.integer({ min: 2, max: 10 }))
  .map(([afterProbes, some, later]) => [
    { what: 'fault', afterProbes, fault: { kind: 'confirm-drop', ...some } as Fault },
    { what: 'fault', afterProbes: afterProbes + later, fault: { kind: 'clear' } },
    { what: 'fault', afterProbes: afterProbes + later, fault: { kind: 'drop-sockets', how: 'reset', on: publisher } },
  ])

const refusedReconnect: fc.Arbitrary<Incident[]> = fc
  .tuple(fc.nat(MAX_PROBES), fc.integer({ min: 1, max: 2 }), socketEnd)
  .map(([afterProbes, next, how]) => [
    { what: 'fault', afterProbes, fault: { kind: 'refuse-connections', next, how } },
    { what: 'fault', afterProbes, fault: { kind: 'drop-sockets', how, on: publisher } },
  ])

const alone = (incident: fc.Arbitrary<Incident>): fc.Arbitrary<Incident[]> => incident.map((one) => [one])
const afterProbes = fc.nat(MAX_PROBES)

const incidents: fc.Arbitrary<Incident[]> = fc.oneof(
  {
    weight: 5,
    arbitrary: alone(fc.tuple(afterProbes, strike).map(([at, fault]) => ({ what: 'fault', afterProbes: at, ...fault }) as Incident)),
  },
  { weight: 1, arbitrary: lostConfirms },
  { weight: 1, arbitrary: refusedReconnect },
  { weight: 3, arbitrary: alone(fc.record({ what: fc.constant('deed' as const), afterProbes, deed })) },
  { weight: 1, arbitrary: alone(fc.record({ what: fc.constant('pause' as const), afterProbes, ms: fc.integer({ min: 30, max: 400 }) })) },
  { weight: 1, arbitrary: alone(fc.record({ what: fc.constant('interrupt' as const), afterProbes })) },
)

const settings = fc
  .record({
    ENGINE: fc.constantFrom('fast', 'ws'),
    THREADS: fc.constantFrom('1', '2'),
    RANGO_SUBSCRIBE: fc.constantFrom('url', 'frames'),
    CATCH_UP: fc.constantFrom('burst', 'burst', 'burst', 'skip'),
    CONFIRM_WINDOW: fc.constantFrom('1000', '3'),
    WARMUP_COUNT: fc.constantFrom('0', '0', '4'),
    RESEND: fc.constantFrom('off', 'off', 'on'),
    CONNECT_CONCURRENCY: fc.constantFrom('200', '4'),
    RECONNECT: fc.constantFrom('off', 'on'),
  })
  .map((drawn): Record<string, string> => drawn)

/** Mostly in order; some repeated, left out, or moved by a few places. */
const otherProgram: fc.Arbitrary<OtherProgram> = fc
  .record({
    count: fc.integer({ min: 5, max: MAX_PROBES }),
    oddities: fc.array(
      fc.record({
        at: fc.nat(MAX_PROBES - 1),
        does: fc.constantFrom('repeat', 'leave-out', 'postpone'),
        by: fc.integer({ min: 1, max: 5 }),
      }),
      { maxLength: 6 },
    ),
    beforeReady: fc.constantFrom(0, 0, 3),
    isCounted: fc.boolean(),
  })
  .map(({ count, oddities, ...rest }) => {
    const sequences = Array.from({ length: count }, (_, sequence) => sequence)
    for (const { at, does, by } of oddities) {
      const place = at % sequences.length
      const [sequence] = does === 'repeat' ? [sequences[place]!] : sequences.splice(place, 1)
      if (does !== 'leave-out') sequences.splice(place + by, 0, sequence!)
      if (sequences.length === 0) sequences.push(0)
    }
    return { sequences, ...rest }
  })

const drawn = fc.record({
  clients: fc.integer({ min: 1, max: MAX_CLIENTS }),
  probes: fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: 25, max: MAX_PROBES }) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 24 }) },
  ),
  gapMs: fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: 1, max: 5 }) },
    { weight: 1, arbitrary: fc.integer({ min: 8, max: 15 }) },
    { weight: 1, arbitrary: fc.constant(0) },
  ),
  settings,
  habits: fc
    .tuple(
      fc.array(deliveryHabit, { maxLength: 3 }),
      fc.array(connectionHabit, { maxLength: 1 }),
      fc.oneof({ weight: 5, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: timedHabit.map((habit) => [habit]) }),
    )
    .map((kinds) => kinds.flat()),
  incidents: fc
    .oneof({ weight: 2, arbitrary: fc.constant([]) }, { weight: 3, arbitrary: fc.array(incidents, { minLength: 1, maxLength: 2 }) })
    .map((groups) => groups.flat()),
  otherProgram: fc.oneof({ weight: 6, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: otherProgram }),
  arrivals: fc.oneof({ weight: 14, arbitrary: inTime }, { weight: 1, arbitrary: latecomers }),
})

export const scenarios: fc.Arbitrary<Scenario> = drawn.map(({ arrivals, ...scenario }) => ({
  ...scenario,
  settings: { ...scenario.settings, ...arrivals.settings },
  habits: [...arrivals.habits, ...scenario.habits],
}))

function withoutUndefined<T extends object>(fields: T): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T
}
