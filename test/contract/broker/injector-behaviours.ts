/** What every injector does, whatever it injects into. Called once per row of `ways-in.ts`. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import type { InjectionOutcome, Injector, InjectorListener } from '../../../src/broker/injector.ts'
import type { FanfareError } from '../../../src/errors.ts'
import { eventually } from '../../doubles/eventually.ts'
import type { Place, WayIn } from './ways-in.ts'

/** Writes down what an injector tells. */
class Told implements InjectorListener {
  readonly settled: { stream: number; sequence: number; outcome: InjectionOutcome; confirmUs: number | undefined }[] = []
  readonly connections: boolean[] = []
  obstacleChanges = 0
  lost: Error | undefined

  onSettled(stream: number, sequence: number, outcome: InjectionOutcome, confirmUs: number | undefined): void {
    this.settled.push({ stream, sequence, outcome, confirmUs })
  }

  onObstacleChanged(): void {
    this.obstacleChanges++
  }

  onBlocked(): void {}

  onConnection(up: boolean): void {
    this.connections.push(up)
  }

  onLost(error: Error): void {
    this.lost = error
  }

  outcomes(): InjectionOutcome[] {
    return this.settled.map(({ outcome }) => outcome)
  }
}

const patience = () => AbortSignal.timeout(10_000)

export function injectorBehaviours({ title, open }: WayIn): void {
  describe(`the injector ${title}`, () => {
    let place: Place
    let injector: Injector
    let told: Told

    beforeEach(async () => {
      place = await open()
      told = new Told()
    })
    afterEach(async () => {
      await injector.close()
      await place.stop()
    })

    const begin = async (settings?: Readonly<Record<string, string>>) => {
      injector = place.injector(settings)
      await injector.open(told, patience())
    }
    const inject = (sequence: number, routingKey = place.routingKey) =>
      injector.inject({ stream: 3, sequence, routingKey, body: Buffer.from(`probe ${sequence} \0\xff`, 'latin1') })

    test('probes enter in order, byte by byte, and each is settled once as confirmed', async () => {
      await begin()
      assert.equal(injector.obstacle(), undefined)
      for (let sequence = 0; sequence < 100; sequence++) inject(sequence)
      await eventually(() => told.settled.length === 100 && place.arrived.length === 100, 'all probes are settled and arrived')
      assert.deepEqual(
        place.arrived.map((body) => body.toString('latin1')),
        Array.from({ length: 100 }, (_, sequence) => `probe ${sequence} \0\xff`),
      )
      assert.deepEqual(
        told.settled.map(({ sequence }) => sequence).sort((a, b) => a - b),
        Array.from({ length: 100 }, (_, sequence) => sequence),
      )
      assert.ok(told.settled.every(({ stream, outcome, confirmUs }) => stream === 3 && outcome === 'confirmed' && Number(confirmUs) >= 0))
      assert.equal(injector.outstanding(), 0)
    })

    test('a probe that leads nowhere is returned, and only that one', async () => {
      await begin()
      inject(0)
      inject(1, place.deadKey)
      inject(2)
      await eventually(() => told.settled.length === 3, 'three probes are settled')
      const returned = told.settled.filter(({ outcome }) => outcome === 'returned')
      assert.deepEqual(
        returned.map(({ sequence }) => sequence),
        [1],
      )
    })

    test('a full window is an obstacle, told when it appears and when it goes', async () => {
      await begin({ CONFIRM_WINDOW: '2' })
      inject(0)
      inject(1)
      assert.equal(injector.obstacle(), 'window')
      assert.equal(injector.outstanding(), 2)
      await eventually(() => injector.obstacle() === undefined, 'the window has room')
      assert.ok(told.obstacleChanges > 0)
    })

    test('closing settles what is outstanding as unknown, and may be asked twice', async () => {
      await begin()
      for (let sequence = 0; sequence < 10; sequence++) inject(sequence)
      const both = Promise.all([injector.close(), injector.close()])
      assert.deepEqual([...new Set(told.outcomes())], ['unknown'])
      await both
      assert.equal(told.settled.length, 10)
      assert.equal(told.lost, undefined)
    })

    test('a lost connection settles what was outstanding as unknown, stands in the way, and is had again', async () => {
      await begin({ AMQP_WAIT_MS: '10000' })
      for (let sequence = 0; sequence < 10; sequence++) inject(sequence)
      await place.interrupt()
      await eventually(() => told.connections.length >= 2, 'the connection was lost and is back')
      assert.deepEqual(told.connections, [false, true])
      assert.equal(told.settled.length, 10)
      assert.ok(told.outcomes().every((outcome) => outcome === 'unknown' || outcome === 'confirmed'))
      inject(10)
      await eventually(() => told.settled.length === 11, 'a probe enters again')
      assert.equal(told.settled.at(-1)?.outcome, 'confirmed')
    })

    test('a place that is gone for good is told once, and nothing more is taken', async () => {
      await begin()
      await place.vanish()
      if (injector.obstacle() === undefined) inject(0)
      const lost = await eventually(() => told.lost, 'the injector has given up')
      assert.match(lost.message, /\.$/)
      assert.equal(injector.obstacle(), 'disconnected')
    })

    test('opening where nothing can enter is refused with a code and a sentence', async () => {
      await place.vanish()
      injector = place.injector()
      await assert.rejects(injector.open(told, patience()), (error: FanfareError) => {
        assert.equal(error.outcome, 'refused')
        return /\.$/.test(error.message)
      })
    })

    test('a signal ends the waiting at once', async () => {
      await place.vanish()
      injector = place.injector({ AMQP_WAIT_MS: '600000' })
      await assert.rejects(injector.open(told, AbortSignal.timeout(50)))
    })
  })
}
