import assert from 'node:assert/strict'
import { it } from 'node:test'
import { ClientState, ClientStates } from '../../../src/clients/client-states.ts'

it('a client is alive from its dial to its end', () => {
  const states = new ClientStates(3)
  assert.deepEqual([states.alive, states.isAlive(1)], [0, false])
  for (const state of [ClientState.dialing, ClientState.open, ClientState.ready]) {
    states.enter(1, state)
    assert.deepEqual([states.alive, states.is(1, state), [...states.aliveSlots()]], [1, true, [1]])
  }
  states.enter(1, ClientState.over)
  assert.deepEqual([states.alive, [...states.aliveSlots()]], [0, []])
})
