import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tableOf } from '../../../../src/embedded/codec/field-table.ts'
import { refuseWhatIsNotOffered } from '../../../../src/embedded/routing/offered.ts'

test('arguments that would change what a queue does are refused by name, not ignored', () => {
  for (const name of ['x-message-ttl', 'x-expires', 'x-max-length', 'x-dead-letter-exchange', 'alternate-exchange']) {
    assert.throws(() => refuseWhatIsNotOffered(tableOf({ [name]: 'any' })), {
      replyCode: 540,
      message: new RegExp(`argument '${name}' is not offered`),
    })
  }
  assert.throws(() => refuseWhatIsNotOffered(tableOf({ 'x-queue-type': 'quorum' })), /queue type 'quorum' is not offered/)
})

test('arguments that change nothing here are taken', () => {
  refuseWhatIsNotOffered(tableOf({ 'x-queue-type': 'classic', 'x-queue-mode': 'lazy', foo: 'bar' }))
})
