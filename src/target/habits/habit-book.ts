/**
 * The habits in force, and which of them concern a client, a handshake or a probe. It decides and does nothing: whoever acts
 * asks here.
 */
import type { ProbeName } from '../probe-name.ts'
import type { AckHabit, DeliveryHabit, Habit, HandshakeHabit, LivenessHabit, TimedHabit } from './habit.ts'
import { concernsClient, concernsProbe, isOver, type WhichClients } from './where.ts'

type OfKind<K extends Habit['kind']> = Extract<Habit, { kind: K }>

const deliveryKinds = ['drop', 'repeat', 'swap', 'delay', 'fragment', 'batch', 'insert', 'end'] as const
const handshakeKinds = ['silent', 'status', 'bad-accept'] as const
const ackKinds = ['never-ack', 'late-ack'] as const

export class HabitBook {
  #habits: readonly Habit[] = []
  #setMs = 0
  #timed = new Set<TimedHabit>()

  get habits(): readonly Habit[] {
    return this.#habits
  }

  /** Replaces all habits. Times that habits name count from now. */
  set(habits: readonly Habit[]): void {
    this.#habits = habits
    this.#setMs = performance.now()
    this.#timed = new Set(this.#ofKinds(['freeze', 'restart']))
  }

  /** The habits that may concern what is delivered to this client; none: it is told like everybody else. */
  deliveryHabits(client: number): readonly DeliveryHabit[] {
    return this.#ofKinds(deliveryKinds).filter((habit) => concernsClient(habit, client))
  }

  /** Those of a client's habits that meet this probe, in the order they were given. */
  meeting(habits: readonly DeliveryHabit[], probe: ProbeName | undefined, client: number): readonly DeliveryHabit[] {
    if (probe === undefined) return []
    return habits.filter((habit) => !this.#isOver(habit) && concernsProbe(sequencesOf(habit), probe, client))
  }

  /** How this handshake is answered wrongly, if it is. */
  handshakeHabit(number: number): Exclude<HandshakeHabit, { kind: 'accept-rate' }> | undefined {
    return this.#first(handshakeKinds, number)
  }

  acceptsPerSecond(): number | undefined {
    return this.#ofKinds(['accept-rate'])[0]?.perSecond
  }

  ackHabit(client: number): AckHabit | undefined {
    return this.#first(ackKinds, client)
  }

  liveness<K extends LivenessHabit['kind']>(kind: K, client: number): OfKind<K> | undefined {
    return this.#first([kind], client)
  }

  /** Freezes and restarts that are due with this probe; each is due once. */
  due(probe: ProbeName): readonly TimedHabit[] {
    if (this.#timed.size === 0) return []
    const due = [...this.#timed].filter((habit) => concernsProbe({ sequences: [habit.atSequence] }, probe, 0))
    for (const habit of due) this.#timed.delete(habit)
    return due
  }

  #ofKinds<K extends Habit['kind']>(kinds: readonly K[]): OfKind<K>[] {
    return this.#habits.filter((habit): habit is OfKind<K> => (kinds as readonly string[]).includes(habit.kind))
  }

  #first<K extends 'silent' | 'status' | 'bad-accept' | AckHabit['kind'] | LivenessHabit['kind']>(
    kinds: readonly K[],
    client: number,
  ): OfKind<K> | undefined {
    return this.#ofKinds(kinds).find((habit) => {
      const which: WhichClients = habit
      return !this.#isOver(which) && concernsClient(which, client)
    })
  }

  #isOver(which: WhichClients): boolean {
    return isOver(which, performance.now() - this.#setMs)
  }
}

/** A swap names its two probes by fields of its own. */
const sequencesOf = (habit: DeliveryHabit) => (habit.kind === 'swap' ? { ...habit, sequences: [habit.first, habit.second] } : habit)
