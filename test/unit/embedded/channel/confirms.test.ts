import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Confirms } from '../../../../src/embedded/channel/confirms.ts'
import type { ChannelLink } from '../../../../src/embedded/channel/link.ts'

type Sent = { readonly name: string; readonly deliveryTag: number; readonly multiple: boolean }

/** A link that keeps what is sent; nothing else of it is used by confirms. */
function recordingLink(): { link: ChannelLink; sent: Sent[] } {
  const sent: Sent[] = []
  const link = {
    send: (name: string, { deliveryTag, multiple }: Sent) => sent.push({ name, deliveryTag, multiple }),
    confirmSoon: () => undefined,
  } as unknown as ChannelLink
  return { link, sent }
}

/** What a client that keeps a list of unconfirmed tags makes of acks and nacks. */
function settledBy(sent: readonly Sent[], published: number): Map<number, string> {
  const settled = new Map<number, string>()
  for (const { name, deliveryTag, multiple } of sent) {
    for (let tag = multiple ? 1 : deliveryTag; tag <= deliveryTag; tag++) {
      if (!settled.has(tag) && tag <= published) settled.set(tag, name)
    }
  }
  return settled
}

test('a client hears of every message exactly what was decided, however acks, nacks and dropped confirms mix', () => {
  const step = fc.constantFrom('ack', 'ack', 'ack', 'nack', 'drop', 'flush')
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const { link, sent } = recordingLink()
      const confirms = new Confirms(link)
      const expected = new Map<number, string>()
      for (const next of steps) {
        if (next === 'flush') {
          confirms.flush()
          continue
        }
        const tag = confirms.nextTag()
        confirms.settle(tag, { outcome: next as 'ack', delayMs: 0, isRouted: true })
        if (next !== 'drop') expected.set(tag, `basic.${next}`)
      }
      confirms.flush()
      const heard = settledBy(sent, steps.length)
      assert.deepEqual([...heard].sort(), [...expected].sort())
    }),
  )
})

test('acks of one pass leave as one', () => {
  const { link, sent } = recordingLink()
  const confirms = new Confirms(link)
  for (let index = 0; index < 100; index++) confirms.acknowledge(confirms.nextTag())
  confirms.flush()
  confirms.flush()
  assert.deepEqual(sent, [{ name: 'basic.ack', deliveryTag: 100, multiple: true }])
})

test('a single ack does not claim to be for several', () => {
  const { link, sent } = recordingLink()
  const confirms = new Confirms(link)
  confirms.acknowledge(confirms.nextTag())
  confirms.flush()
  assert.deepEqual(sent, [{ name: 'basic.ack', deliveryTag: 1, multiple: false }])
})
