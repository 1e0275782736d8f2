import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Conversation, type Numbered } from '../../../src/cluster/conversation.ts'

/** Two sides and a line that loses and repeats, as drawn. */
class Correspondence {
  readonly here = new Conversation<string>()
  readonly there = new Conversation<string>()
  readonly taken: string[] = []
  readonly #underWay: Numbered<string>[] = []
  nowMs = 0

  send(numbered: Numbered<string>): void {
    this.#underWay.push(numbered)
  }

  deliver(fate: 'lost' | 'once' | 'twice'): void {
    const letter = this.#underWay.shift()
    if (letter === undefined || fate === 'lost') return
    for (let copy = 0; copy < (fate === 'twice' ? 2 : 1); copy++) {
      if (this.there.take(letter.number)) this.taken.push(letter.message)
    }
  }

  deliverAll(): void {
    while (this.#underWay.length > 0) this.deliver('once')
  }
}

test('whatever a line loses or repeats, everything arrives once and in order', () => {
  const steps = fc.array(
    fc.oneof(
      fc.record({ kind: fc.constant('say' as const) }),
      fc.record({ kind: fc.constant('deliver' as const), fate: fc.constantFrom('lost' as const, 'once' as const, 'twice' as const) }),
      fc.record({ kind: fc.constant('wait' as const), ms: fc.nat(2_500) }),
      fc.record({ kind: fc.constant('news' as const) }),
    ),
    { maxLength: 80 },
  )
  fc.assert(
    fc.property(steps, (drawn) => {
      const line = new Correspondence()
      const said: string[] = []
      for (const step of drawn) {
        if (step.kind === 'say') {
          said.push(`message ${said.length}`)
          line.send(line.here.say(said.at(-1)!, line.nowMs))
        } else if (step.kind === 'deliver') line.deliver(step.fate)
        else if (step.kind === 'wait') line.nowMs += step.ms
        else line.here.heardBy(line.there.heardUpTo, line.nowMs)
        for (const numbered of line.here.due(line.nowMs)) line.send(numbered)
        assert.deepEqual(line.taken, said.slice(0, line.taken.length))
      }
      line.deliverAll()
      line.here.heardBy(line.there.heardUpTo, line.nowMs)
      for (const numbered of line.here.sayAgain(line.nowMs)) line.send(numbered)
      line.deliverAll()
      line.here.heardBy(line.there.heardUpTo, line.nowMs)
      assert.deepEqual(line.taken, said)
      assert.equal(line.here.unheard, 0)
    }),
  )
})

test('what gets no answer is said again after a second, not before, and not for ever faster', () => {
  const conversation = new Conversation<string>()
  conversation.say('a', 0)
  assert.deepEqual(conversation.due(999), [])
  assert.equal(conversation.due(1_000).length, 1)
  assert.deepEqual(conversation.due(1_999), [])
  conversation.say('b', 1_500)
  assert.deepEqual(
    conversation.due(2_000).map(({ message }) => message),
    ['a', 'b'],
  )
  conversation.heardBy(1, 2_500) // an answer begins the second anew
  assert.deepEqual(conversation.due(3_400), [])
  conversation.heardBy(1, 3_450) // old news do not
  assert.deepEqual(
    conversation.due(3_500).map(({ message }) => message),
    ['b'],
  )
})
