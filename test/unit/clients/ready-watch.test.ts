import assert from 'node:assert/strict'
import { it } from 'node:test'
import { ReadyWatch } from '../../../src/clients/ready-watch.ts'

it('clients that were not acknowledged in time come out once, oldest first', () => {
  const watch = new ReadyWatch(100)
  watch.opened(7, 1_000)
  watch.opened(3, 1_000)
  watch.opened(5, 1_050)
  watch.settled(3)
  assert.deepEqual(watch.expired(1_099), [])
  assert.deepEqual(watch.expired(1_100), [7])
  assert.deepEqual(watch.expired(2_000), [5])
  assert.deepEqual(watch.expired(3_000), [])
})
