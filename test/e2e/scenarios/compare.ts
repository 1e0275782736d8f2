/**
 * Compares what the tester says with what really happened, counter by counter and client by client. Where the truth is an interval
 * (an abortive end), some truth inside it must explain all of a client's counters at once. Each disagreement is a sentence.
 */
import type { CountedCode } from '../../../src/errors.ts'
import { ProbeState } from '../../../src/measure/publisher-log.ts'
import type { ClientRow, MissingDelivery } from '../../../src/measure/snapshot.ts'
import { booksOf, type ClientBooks, type Rules } from './expectation.ts'
import { type Hearing, hearingsOf } from './hearing.ts'
import type { Played } from './play.ts'

/** Ends nearer to the end of the drain than this may be on either side of it. */
const MARGIN_US = 30_000

type Disagreements = string[]

export function compare(played: Played): Disagreements {
  const { facts } = played
  const found: Disagreements = [...faults(played), ...publishing(played)]
  if (facts.drainEndedUs === undefined) return found
  const clients = Array.from({ length: played.scenario.clients }, (_, client) => new Client(client, played))
  return [
    ...found,
    ...clients.flatMap((client) => client.disagreements),
    ...totals(played, clients),
    ...ranges(played, clients),
    ...fanout(played, clients),
    ...endings(played, clients),
  ]
}

/** What must never be, whatever was drawn. */
function faults({ facts }: Played): Disagreements {
  const codes = facts.report.verdict.reasons.map(({ code }) => code)
  return [
    ...facts.died.map((text) => `died: ${text}`),
    ...['fault', 'books-unbalanced', 'books-overflowed'].filter((code) => codes.includes(code)).map((code) => `the verdict says ${code}`),
  ]
}

/** The publisher's log beside the broker's truth and the target's. */
function publishing({ facts, truth }: Played): Disagreements {
  const { publisher, log } = facts
  if (publisher === undefined) return []
  const found: Disagreements = []
  const { count = 0, states } = log.streams[0] ?? {}
  const inState = (state: number): number[] =>
    Array.from({ length: count }, (_, sequence) => sequence).filter((at) => states?.[at] === state)
  const { confirmed, returned, nacked, unknown } = publisher
  for (const [name, told, state] of [
    ['confirmed', confirmed, ProbeState.confirmed],
    ['returned', returned, ProbeState.returned],
    ['nacked', nacked, ProbeState.nacked],
    ['unknown', unknown, ProbeState.unknown],
  ] as const) {
    if (told !== inState(state).length) found.push(`${told} probes are told to be ${name}, ${inState(state).length} are in the log`)
  }
  const broadcast = new Set(truth.broadcasts.filter(({ probe }) => probe?.probeStream === 0).map(({ probe }) => probe!.sequence))
  for (const sequence of inState(ProbeState.absent))
    if (broadcast.has(sequence)) found.push(`probe ${sequence} was broadcast but never published`)
  const struck = truth.broker.filter(({ did }) => did === 'nacked').length
  if (nacked > struck) found.push(`${nacked} probes are nacked, but the broker nacked ${struck}`)
  if (struck > 0 && !truth.broker.some(({ fault, asked }) => fault === 'nack' && asked?.kind === 'nack' && asked.isRouted)) {
    for (const sequence of inState(ProbeState.nacked)) {
      if (broadcast.has(sequence) && publisher.resent === 0) found.push(`probe ${sequence} is nacked, but it was broadcast`)
    }
  }
  return found
}

/** One client: its truth, what is booked for it, and whether one explains the other. */
class Client {
  readonly disagreements: Disagreements = []
  readonly hearings: readonly Hearing[]
  readonly readyUs: number
  /** In time, as the truth that explains the books has it. */
  delivered: ReadonlySet<number> = new Set()
  /** Exact for a client with a row. */
  early = { least: 0, most: 0 }
  readonly expected: number
  readonly index: number
  readonly #played: Played
  readonly #rules: Rules
  readonly #row: ClientRow | undefined
  readonly #missing: readonly MissingDelivery[]

  constructor(client: number, played: Played) {
    const { receivers, log } = played.facts
    this.index = client
    this.#played = played
    this.hearings = hearingsOf(client, played.truth)
    const place = receivers.readyClients.client.indexOf(client)
    this.readyUs = place < 0 ? Number.POSITIVE_INFINITY : receivers.readyClients.readyUs[place]!
    const sentUs = log.streams[0]?.sentUs
    this.#rules = {
      readyUs: this.readyUs,
      limit:
        played.scenario.otherProgram?.isCounted === false ? Number.POSITIVE_INFINITY : (log.streams[0]?.count ?? Number.POSITIVE_INFINITY),
      // When another program stamps, the time of a probe that nobody heard is a guess, and the books' own.
      sentUs: (sequence) =>
        (heardProbes(played).has(sequence) ? played.truth.stampedUs.get(sequence) : undefined) ??
        Math.round(sentUs?.[sequence] ?? Number.NaN),
    }
    this.#row = receivers.worstClients.find((row) => row.client === client)
    this.#missing = receivers.missing.filter((missing) => missing.client === client)
    this.expected = [...owedSequences(played)].filter((sequence) => this.#rules.sentUs(sequence) >= this.readyUs).length
    this.#checkReady()
    this.#explain()
    if (Number.isFinite(this.readyUs)) this.#checkShortfall()
  }

  #say(text: string): void {
    this.disagreements.push(`client ${this.index}: ${text}`)
  }

  #checkReady(): void {
    const acknowledged = this.hearings.map(({ connection }) => connection.acknowledgedUs).filter((us) => us !== undefined)
    if (Number.isFinite(this.readyUs)) {
      if (acknowledged.length === 0) this.#say('is ready, but was never acknowledged')
      else if (acknowledged[0]! > this.readyUs + MARGIN_US)
        this.#say(`was ready at ${this.readyUs}, but acknowledged at ${acknowledged[0]}`)
    } else if (this.hearings.some(({ connection, isWhole }) => isWhole && connection.acknowledgedUs !== undefined)) {
      this.#say('was acknowledged, and is not ready')
    }
  }

  /** Looks for a truth inside the interval that leads to exactly these books. */
  #explain(): void {
    const { receivers } = this.#played.facts
    const delivered = receivers.targets.find(({ target }) => target === this.index)?.delivered ?? 0
    const row = this.#row
    if (row !== undefined && row.delivered !== delivered) this.#say(`${row.delivered} delivered in its row, ${delivered} in its target's`)
    const booked = { delivered, duplicated: row?.duplicated ?? 0, outOfOrder: row?.outOfOrder ?? 0, late: row?.late ?? 0 }
    let isExplained = false
    for (const { lengths, probes } of this.#possibilities()) {
      for (let inTime = probes.length; inTime >= 0; inTime--) {
        const books = booksOf({ probes, inTime }, this.#rules)
        if (
          this.#matches(books, booked) &&
          this.#unexpectedMatches(books.unexpected, lengths) &&
          this.#missingMatches(books.deliveredProbes)
        ) {
          if (!isExplained) this.early = { least: books.early, most: books.early }
          if (!isExplained) this.delivered = books.deliveredProbes
          this.early.least = Math.min(this.early.least, books.early)
          isExplained = true
        }
        if (booked.late === 0) break
      }
    }
    if (isExplained) return
    const truth = this.hearings.map(({ written, surely }) => `${surely} to ${written.length} of [${written}]`).join(' then ')
    this.#say(`no truth explains its books ${JSON.stringify({ ...booked, row })}; it heard ${truth || 'nothing'}; ready ${this.readyUs}`)
  }

  /** Every way the connections can have been heard: all combinations of lengths, the longest first. */
  *#possibilities(before: readonly number[] = []): Generator<{ lengths: readonly number[]; probes: readonly number[] }> {
    const hearing = this.hearings[before.length]
    if (hearing === undefined) {
      yield { lengths: before, probes: before.flatMap((length, at) => this.hearings[at]!.written.slice(0, length)) }
      return
    }
    for (let length = hearing.written.length; length >= hearing.surely; length--) yield* this.#possibilities([...before, length])
  }

  #matches(books: ClientBooks, booked: Pick<ClientBooks, 'delivered' | 'duplicated' | 'outOfOrder' | 'late'>): boolean {
    if (books.delivered !== booked.delivered || books.late !== booked.late) return false
    if (this.#row !== undefined && books.early !== this.#row.early) return false
    // Copies and order breaks of probes that were sent again are booked apart, for all clients together.
    const { resentDuplicates, resentOutOfOrder } = this.#played.facts.receivers
    const isWithin = (told: number, of: number, apart: number): boolean => told === of || (told < of && told + apart >= of)
    return (
      isWithin(booked.duplicated, books.duplicated, resentDuplicates) && isWithin(booked.outOfOrder, books.outOfOrder, resentOutOfOrder)
    )
  }

  #unexpectedMatches(ofProbes: number, lengths: readonly number[]): boolean {
    const told = this.#row?.unexpected ?? 0
    if (this.#row === undefined && !Number.isFinite(this.readyUs)) return true
    const { least, most } = countBefore(this.hearings, lengths, ({ misrouted }) => misrouted)
    return told >= ofProbes + least && told <= ofProbes + most
  }

  #missingMatches(delivered: ReadonlySet<number>): boolean {
    if (!Number.isFinite(this.readyUs)) return this.#missing.length === 0
    const missing = [...owedSequences(this.#played)].filter((at) => this.#rules.sentUs(at) >= this.readyUs && !delivered.has(at))
    return missing.length === this.#missing.length && missing.every((sequence, at) => this.#missing[at]!.sequence === sequence)
  }

  /** What was not delivered is missed for a client that was away in between, and lost for one that was there all the time. */
  #checkShortfall(): void {
    const { drainEndedUs = Number.POSITIVE_INFINITY } = this.#played.facts
    const missed = this.#missing.filter(({ why }) => why === 'missed').length
    const row = this.#row
    if (row !== undefined && (row.missed !== missed || row.lost !== this.#missing.length - missed)) {
      this.#say(`its row has ${row.missed} missed and ${row.lost} lost, the list ${missed} of ${this.#missing.length}`)
    }
    if (row !== undefined && row.expected !== this.expected) this.#say(`${row.expected} are expected in its row, ${this.expected} are owed`)
    if (row === undefined && this.#missing.length > 0) this.#say('misses probes and is in no list')
    for (const missing of this.#missing) this.#checkWhy(missing, drainEndedUs)
  }

  #checkWhy({ sequence, why }: MissingDelivery, drainEndedUs: number): void {
    const sentUs = this.#rules.sentUs(sequence)
    const wasAway = (marginUs: number): boolean =>
      this.#absences().some(({ fromUs, untilUs }) => fromUs < drainEndedUs + marginUs && untilUs > sentUs - marginUs)
    if (why === 'lost' && wasAway(-MARGIN_US)) this.#say(`was away after probe ${sequence} was sent, which is booked as lost`)
    if (why === 'missed' && !wasAway(MARGIN_US)) this.#say(`was there since before probe ${sequence} was sent, which is booked as missed`)
  }

  /** From the end of a connection to the acknowledgement of the next. */
  #absences(): { fromUs: number; untilUs: number }[] {
    return this.hearings.flatMap(({ endedByTargetUs }, at) => {
      if (endedByTargetUs === undefined) return []
      const next = this.hearings.slice(at + 1).find(({ connection }) => connection.acknowledgedUs !== undefined)
      return [{ fromUs: endedByTargetUs, untilUs: next?.connection.acknowledgedUs ?? Number.POSITIVE_INFINITY }]
    })
  }
}

const heardProbes = ({ facts }: Played): ReadonlySet<number> => new Set(facts.receivers.fanout.sequence)

/** Confirmed probes, and others of which somebody heard. */
function owedSequences(played: Played): Set<number> {
  const { facts } = played
  const heard = heardProbes(played)
  const { count = 0, states } = facts.log.streams[0] ?? {}
  const all = Array.from({ length: count }, (_, sequence) => sequence)
  return new Set(
    all.filter(
      (sequence) => states![sequence] === ProbeState.confirmed || (states![sequence] !== ProbeState.absent && heard.has(sequence)),
    ),
  )
}

/** How many things that stand among the probes were heard at least and at most, when so many probes of each connection were. */
function countBefore(hearings: readonly Hearing[], lengths: readonly number[], placesOf: (hearing: Hearing) => readonly number[]) {
  let least = 0
  let most = 0
  hearings.forEach((hearing, at) => {
    const places = placesOf(hearing)
    most += places.filter((place) => place <= lengths[at]!).length
    least += hearing.isWhole ? places.length : places.filter((place) => place < lengths[at]!).length
  })
  return { least, most }
}

function totals({ facts, scenario }: Played, clients: readonly Client[]): Disagreements {
  const { receivers } = facts
  const { measured } = receivers
  const sum = (of: (row: ClientRow) => number): number => receivers.worstClients.reduce((total, row) => total + of(row), 0)
  const ready = clients.filter(({ readyUs }) => Number.isFinite(readyUs))
  const found: Disagreements = []
  const same = (name: string, told: number, is: number): void => {
    if (told !== is) found.push(`${told} ${name} in all, ${is} by client`)
  }
  same(
    'expected',
    measured.expected,
    ready.reduce((total, client) => total + client.expected, 0),
  )
  same(
    'delivered',
    measured.delivered,
    clients.reduce((total, { delivered }) => total + delivered.size, 0),
  )
  same('missed', measured.missed, receivers.missing.filter(({ why }) => why === 'missed').length)
  same('lost', measured.lost, receivers.missing.filter(({ why }) => why === 'lost').length)
  same(
    'duplicated',
    measured.duplicated,
    sum((row) => row.duplicated),
  )
  same(
    'out of order',
    measured.outOfOrder,
    sum((row) => row.outOfOrder),
  )
  same(
    'late',
    measured.late,
    sum((row) => row.late),
  )
  same('ready', receivers.clients.ready, ready.length)
  same('wanted', receivers.clients.wanted, scenario.clients)
  same(
    'deaf',
    receivers.heardNothing,
    ready.filter((client) => client.expected > 0 && client.delivered.size === 0 && client.early.most === 0).length,
  )
  return found
}

/** What is counted for all clients together, where some of them may have heard less than was written. */
function ranges({ facts }: Played, clients: readonly Client[]): Disagreements {
  const { measured, otherFrames, worstClients } = facts.receivers
  const hearings = clients.flatMap((client) => client.hearings)
  const among = (placesOf: (hearing: Hearing) => readonly number[]) => ({
    least: countBefore(
      hearings,
      hearings.map(({ surely }) => surely),
      placesOf,
    ).least,
    most: countBefore(
      hearings,
      hearings.map(({ written }) => written.length),
      placesOf,
    ).most,
  })
  const early = {
    least: clients.reduce((sum, { early }) => sum + early.least, 0),
    most: clients.reduce((sum, { early }) => sum + early.most, 0),
  }
  // Only clients that were ready have rows, and only theirs tell what of it was beyond MSG_COUNT.
  const inRows = worstClients.reduce((sum, { unexpected }) => sum + unexpected, 0)
  const neverReady = clients.filter(({ readyUs }) => !Number.isFinite(readyUs)).flatMap(({ hearings }) => hearings)
  const unexpected = {
    least: inRows,
    most: inRows + neverReady.reduce((sum, { written, misrouted }) => sum + written.length + misrouted.length, 0),
  }
  const frames = (otherFrames.other ?? 0) + (otherFrames['other-stream'] ?? 0)
  return [
    ...within('early', measured.early, early),
    ...within('unexpected', measured.unexpected, unexpected),
    ...within(
      'foreign',
      measured.foreign,
      among((hearing) => hearing.foreign),
    ),
    ...within(
      'frames without a probe',
      frames,
      among((hearing) => hearing.without),
    ),
  ]
}

function within(name: string, told: number, { least, most }: { least: number; most: number }): Disagreements {
  return told < least || told > most ? [`${told} ${name}, ${least} to ${most} happened`] : []
}

/** Clients that heard each probe in time. */
function fanout({ facts }: Played, clients: readonly Client[]): Disagreements {
  const { sequence, count } = facts.receivers.fanout
  const told = new Map(Array.from(sequence, (probe, at) => [probe, count[at]!]))
  const probes = new Set([...told.keys(), ...clients.flatMap(({ delivered }) => [...delivered])])
  return [...probes].flatMap((probe) => {
    const is = clients.filter(({ delivered }) => delivered.has(probe)).length
    return is === (told.get(probe) ?? 0) ? [] : [`probe ${probe} reached ${told.get(probe) ?? 0} clients in its fan-out row, and ${is}`]
  })
}

/** What ends a connection, and the codes it may be booked under: a socket's end and a reset may overtake each other. */
const CODES: readonly { readonly causes: readonly string[]; readonly codes: readonly CountedCode[] }[] = [
  { causes: ['close'], codes: ['closed-by-target'] },
  {
    causes: ['cut', 'reset', 'slow-client', 'pong-overdue', 'write-overdue'],
    codes: ['cut-by-target', 'reset-by-target', 'socket-error'],
  },
  { causes: ['masked', 'reserved-bit', 'bad-opcode', 'stray-continuation'], codes: ['protocol-error'] },
  { causes: ['huge'], codes: ['frame-too-big'] },
]

/** How connections ended and how often clients came back. */
function endings({ facts }: Played, clients: readonly Client[]): Disagreements {
  const { drainEndedUs = 0, receivers } = facts
  const hearings = clients.flatMap((client) => client.hearings)
  const found: Disagreements = []
  for (const { causes, codes } of CODES) {
    const possible = hearings.filter(({ endedBy }) => endedBy.some((cause) => causes.includes(cause)))
    const certain = possible.filter(
      ({ endedBy, endedByTargetUs = 0 }) => endedBy.every((cause) => causes.includes(cause)) && endedByTargetUs < drainEndedUs - MARGIN_US,
    )
    const told = codes.reduce((sum, code) => sum + (receivers.errorsByCode[code] ?? 0), 0)
    found.push(...within(`ends by ${codes.join(', ')}`, told, { least: certain.length, most: possible.length }))
  }
  const ended = hearings.filter(({ endedByTargetUs }) => endedByTargetUs !== undefined)
  const certain = ended.filter(({ endedByTargetUs = 0 }) => endedByTargetUs < drainEndedUs - MARGIN_US)
  found.push(...within('disconnects', receivers.clients.disconnected, { least: certain.length, most: hearings.length }))
  const returns = clients.flatMap(({ hearings: [, ...later] }) => later.filter(({ connection }) => connection.acknowledgedUs !== undefined))
  found.push(
    ...within('reconnects', receivers.clients.reconnected, {
      least: returns.filter(({ isWhole }) => isWhole).length,
      most: returns.length,
    }),
  )
  return found
}
