import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Account } from '../../../src/target/account.ts'
import { type Broadcast, BroadcastLog } from '../../../src/target/broadcast-log.ts'
import { expandRanges, removeLast, sequenceRanges } from '../../../src/target/sequence-range.ts'

const newAccount = () => new Account({ number: 0, remoteAddress: '127.0.0.1', remotePort: 1, path: '/', openedUs: 0 })
const written = (account: Account, log: BroadcastLog) => [...account.written(log)].map(({ broadcast }) => broadcast.position)

function logOf(...topics: string[]): BroadcastLog {
  const log = new BroadcastLog(1_000)
  for (const topic of topics) log.append({ topic, stream: topic, probe: undefined, isKept: false })
  return log
}

test('sequences come back from their ranges, in the same order', () => {
  fc.assert(fc.property(fc.array(fc.nat(20)), (sequences) => assert.deepEqual(expandRanges(sequenceRanges(sequences)), sequences)))
  assert.deepEqual(sequenceRanges([0, 1, 2, 2, 4, 3]), [
    [0, 2],
    [2, 2],
    [4, 4],
    [3, 3],
  ])
})

test('numbers are taken away from the end', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(20)), fc.nat(30), (sequences, count) => {
      const ranges = sequenceRanges(sequences)
      assert.equal(removeLast(ranges, count), Math.min(count, sequences.length))
      assert.deepEqual(expandRanges(ranges), sequences.slice(0, Math.max(0, sequences.length - count)))
    }),
  )
})

test('a client follows its own topics from joining to leaving', () => {
  const log = logOf('a', 'b', 'a', 'b', 'a')
  const account = newAccount()
  account.follow(new Set(['a']), 1)
  assert.deepEqual(written(account, log), [2, 4])
  account.stopFollowing(4)
  assert.deepEqual(written(account, log), [2])
})

test('what never reached the kernel is taken back from the end, across parts of both kinds', () => {
  const log = logOf('a', 'b', 'a', 'a')
  for (let unwritten = 0; unwritten <= 5; unwritten += 1) {
    const account = newAccount()
    account.follow(new Set(['a']), 0)
    account.stopFollowing(3)
    account.list(log.entries[3] as Broadcast)
    account.list(log.entries[3] as Broadcast)
    account.unwrite(unwritten, log)
    assert.deepEqual(written(account, log), [0, 2, 3, 3].slice(0, Math.max(0, 4 - unwritten)), `${unwritten} taken back`)
  }
})

test('a pong acknowledges what was written before its ping, an orderly ending everything', () => {
  const log = logOf('a', 'a')
  const account = newAccount()
  account.follow(new Set(['a']), 0)
  const mark = account.mark(log)
  log.append({ topic: 'a', stream: 'a', probe: undefined, isKept: false })
  const acknowledged = () => [...account.written(log)].map(({ isAcknowledged }) => isAcknowledged)
  assert.deepEqual(acknowledged(), [false, false, false])
  account.acknowledge(mark)
  assert.deepEqual(acknowledged(), [true, true, false])
  account.ending = { kind: 'closed-by-client', atUs: 1, code: 1000, isOrderly: true }
  assert.deepEqual(acknowledged(), [true, true, true])
})

test('a log that is full says so and forgets the rest', () => {
  const log = new BroadcastLog(2)
  for (let index = 0; index < 3; index += 1) log.append({ topic: 'a', stream: 'a', probe: undefined, isKept: false })
  assert.deepEqual([log.length, log.entries.length, log.isCut], [3, 2, true])
})
