import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { listenForShutdown, type SignalSource, tolerateClosedPipe } from '../../../src/cli/shutdown.ts'
import { FanfareError } from '../../../src/errors.ts'
import { exitCodeOf, exitCodes } from '../../../src/exit-codes.ts'

/** A process that notes its exit codes and lives on. */
function signalSource() {
  const exits: number[] = []
  const source = Object.assign(new EventEmitter(), { exit: (code: number) => void exits.push(code) })
  return { source: source as unknown as SignalSource & EventEmitter, exits }
}

test('the first signal asks to stop and says which it was', () => {
  const { source, exits } = signalSource()
  const { stop } = listenForShutdown((signal) => ({ signal }), source)
  assert.equal(stop.aborted, false)
  source.emit('SIGTERM', 'SIGTERM')
  assert.deepEqual(stop.reason, { signal: 'SIGTERM' })
  assert.deepEqual(exits, [])
})

test('the second signal leaves at once, with its own code', () => {
  for (const [second, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    const { source, exits } = signalSource()
    const { stop } = listenForShutdown((signal) => signal, source)
    source.emit('SIGINT', 'SIGINT')
    source.emit(second, second)
    assert.deepEqual(exits, [code])
    assert.equal(stop.reason, 'SIGINT')
  }
})

test('after disposal nothing listens any more', () => {
  const { source } = signalSource()
  listenForShutdown((signal) => signal, source).dispose()
  assert.equal(source.listenerCount('SIGINT') + source.listenerCount('SIGTERM'), 0)
})

test('a closed pipe is tolerated, another error of the stream is not', () => {
  const stream = new PassThrough()
  tolerateClosedPipe(stream)
  stream.emit('error', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))
  assert.throws(() => stream.emit('error', Object.assign(new Error('disk'), { code: 'ENOSPC' })), /disk/)
})

test('an error that ends the process has the exit code of its outcome', () => {
  assert.equal(exitCodeOf(new FanfareError('settings-invalid', 'x')), 2)
  assert.equal(exitCodeOf(new FanfareError('preflight-ports', 'x')), 3)
  assert.equal(exitCodeOf(new FanfareError('tester-bound', 'x')), 4)
  assert.equal(exitCodeOf(new FanfareError('fault', 'x')), 70)
  assert.equal(exitCodeOf(new TypeError('x')), 70)
  assert.equal(new Set(Object.values(exitCodes)).size, Object.keys(exitCodes).length)
})
