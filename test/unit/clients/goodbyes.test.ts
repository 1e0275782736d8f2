import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ClientState, ClientStates } from '../../../src/clients/client-states.ts'
import type { Engine } from '../../../src/clients/engine.ts'
import { Goodbyes } from '../../../src/clients/goodbyes.ts'
import { eventually } from '../../doubles/eventually.ts'

/** An engine that only writes down whom it was to close. */
function noEngine(onClose: (slot: number) => void): Engine {
  const ignore = () => undefined
  return { dial: ignore, send: ignore, close: onClose, abort: ignore, isConnected: () => false, reads: 0, frames: 0, bytes: 0 }
}

function openClients(count: number): ClientStates {
  const states = new ClientStates(count)
  for (let slot = 0; slot < count; slot++) states.enter(slot, ClientState.open)
  return states
}

const nobody = (slot: number) => assert.fail(`spoke to ${slot}`)

describe('goodbyes', () => {
  it('are said to a thousand at once, and to the next when one has ended', async () => {
    const states = openClients(1_500)
    const closed: number[] = []
    const said: number[] = []
    const goodbyes = new Goodbyes(
      noEngine((slot) => closed.push(slot)),
      states,
      (slot) => said.push(slot),
    )
    const end = (slot: number) => {
      states.enter(slot, ClientState.over)
      goodbyes.ended(slot)
    }
    const all = goodbyes.sayAll()
    assert.equal(closed.length, 1_000)
    // one that nobody has spoken to yet ends by itself
    end(1_200)
    assert.equal(closed.length, 1_000)
    end(0)
    assert.equal(closed.length, 1_001)
    for (let slot = 1; slot < 1_500; slot++) if (slot !== 1_200) end(slot)
    await all
    assert.equal(closed.length, 1_499)
    assert.deepEqual(said, closed)
  })

  it('do not grow the stack when connections end while they are closed', async () => {
    const states = openClients(50_000)
    const goodbyes: Goodbyes = new Goodbyes(
      noEngine((slot) => {
        states.enter(slot, ClientState.over)
        goodbyes.ended(slot)
      }),
      states,
      () => undefined,
    )
    await goodbyes.sayAll()
    assert.equal(states.alive, 0)
  })

  it('need nobody', async () => {
    let isDone = false
    const all = new Goodbyes(noEngine(nobody), new ClientStates(5), nobody).sayAll().then(() => {
      isDone = true
    })
    await eventually(() => isDone, 'all is said')
    await all
  })
})
