import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Entry, Message } from '../../../../src/embedded/routing/message.ts'
import { Queue, type Taker } from '../../../../src/embedded/routing/queue.ts'

const newQueue = (): Queue => new Queue({ name: 'q', durable: false, autoDelete: false, owner: undefined })
const message = (text: string): Message => ({ exchange: '', routingKey: 'q', header: Buffer.alloc(0), body: Buffer.from(text) })
const textOf = (entry: Entry | undefined): string | undefined => entry?.message.body.toString()

/** A consumer with room for so many. */
class Consumer implements Taker {
  readonly exclusive = false
  readonly taken: string[] = []
  room: number
  isTold = false

  constructor(room: number) {
    this.room = room
  }

  canTake(): boolean {
    return this.room > 0
  }

  take(entry: Entry): void {
    this.room--
    this.taken.push(textOf(entry)!)
  }

  queueDeleted(): void {
    this.isTold = true
  }
}

test('whatever is taken and given back, in any order, entries come out in the order they came in', () => {
  const step = fc.oneof(
    fc.constant({ do: 'enqueue' as const }),
    fc.constant({ do: 'take' as const }),
    // Which of the entries held are given back: bits of the number.
    fc.record({ do: fc.constant('requeue' as const), which: fc.integer({ min: 1, max: 255 }) }),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const queue = newQueue()
      let waiting: number[] = []
      let held: Entry[] = []
      let published = 0
      for (const next of steps) {
        if (next.do === 'enqueue') {
          queue.enqueue(message(String(published)))
          waiting.push(published++)
        } else if (next.do === 'take') {
          const entry = queue.shift()
          assert.equal(textOf(entry), waiting.length > 0 ? String(waiting.shift()) : undefined)
          if (entry !== undefined) held.push(entry)
        } else {
          const back = held.filter((_, index) => (next.which & (1 << (index % 8))) !== 0)
          held = held.filter((entry) => !back.includes(entry))
          waiting = [...waiting, ...back.map((entry) => entry.position)].sort((a, b) => a - b)
          queue.requeue(back)
        }
        assert.equal(queue.messageCount, waiting.length)
      }
    }),
  )
})

test('only entries that were given back are marked as redelivered', () => {
  const queue = newQueue()
  queue.enqueue(message('a'))
  queue.enqueue(message('b'))
  queue.requeue([queue.shift()!])
  assert.deepEqual(
    [queue.shift(), queue.shift()].map((entry) => [textOf(entry), entry?.redelivered]),
    [
      ['a', true],
      ['b', false],
    ],
  )
})

test('consumers take turns, and one without room is passed over', () => {
  const queue = newQueue()
  const [first, full, last] = [new Consumer(10), new Consumer(1), new Consumer(10)]
  for (const consumer of [first, full, last]) queue.addConsumer(consumer)
  for (const text of ['1', '2', '3', '4', '5']) queue.enqueue(message(text))
  assert.deepEqual([first.taken, full.taken, last.taken], [['1', '4'], ['2'], ['3', '5']])
})

test('what finds no consumer with room waits, and is handed out when there is room', () => {
  const queue = newQueue()
  const consumer = new Consumer(1)
  queue.addConsumer(consumer)
  for (const text of ['1', '2', '3']) queue.enqueue(message(text))
  assert.equal(queue.messageCount, 2)
  consumer.room = 5
  queue.handOut()
  assert.deepEqual([consumer.taken, queue.messageCount], [['1', '2', '3'], 0])
})

test('a long backlog is taken to the last entry, in order', () => {
  const queue = newQueue()
  for (let index = 0; index < 20_000; index++) queue.enqueue(message(String(index)))
  for (let index = 0; index < 20_000; index++) assert.equal(textOf(queue.shift()), String(index))
  assert.equal(queue.shift(), undefined)
})

test('a deleted queue tells its consumers, drops what waited, and takes nothing back', () => {
  const queue = newQueue()
  const consumer = new Consumer(1)
  queue.enqueue(message('held'))
  queue.enqueue(message('waiting'))
  const held = queue.shift()!
  consumer.room = 0
  queue.addConsumer(consumer)
  queue.delete()
  queue.requeue([held])
  assert.deepEqual([consumer.isTold, queue.messageCount, queue.consumerCount], [true, 0, 0])
})
