import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Obstacle } from '../../../src/broker/injector.ts'
import { ObstacleHistory } from '../../../src/run/obstacle-history.ts'
import type { LatenessCause } from '../../../src/run/publisher.ts'

type Notes = readonly (readonly [atUs: number, obstacle: Obstacle | undefined])[]
const rows: [string, Notes, intendedUs: number, sentUs: number, LatenessCause][] = [
  ['nothing stood in the way', [], 0, 10_000, 'loop'],
  [
    'an obstacle stood all the time',
    [
      [0, 'blocked'],
      [10_000, undefined],
    ],
    0,
    10_000,
    'blocked',
  ],
  [
    'it stood before the slot only',
    [
      [0, 'drain'],
      [5_000, undefined],
    ],
    5_000,
    15_000,
    'loop',
  ],
  [
    'it stood for less than half of the time',
    [
      [1_000, 'window'],
      [2_000, undefined],
    ],
    0,
    10_000,
    'loop',
  ],
  [
    'of two the one that stood longer',
    [
      [0, 'disconnected'],
      [7_000, 'window'],
      [9_000, undefined],
    ],
    0,
    10_000,
    'disconnected',
  ],
  [
    'only the part after the slot counts',
    [
      [0, 'disconnected'],
      [7_000, 'window'],
      [9_000, undefined],
    ],
    6_500,
    9_500,
    'window',
  ],
  [
    'a window that opens and closes quickly is one obstacle',
    [
      [0, 'window'],
      [1_000, undefined],
      [1_500, 'window'],
      [3_000, undefined],
    ],
    0,
    3_000,
    'window',
  ],
]

for (const [title, notes, intendedUs, sentUs, cause] of rows) {
  test(`a late slot has a cause: ${title}`, () => {
    const history = new ObstacleHistory()
    for (const [atUs, obstacle] of notes) history.note(obstacle, atUs)
    history.forgetBefore(intendedUs)
    assert.equal(history.causeOf(intendedUs, sentUs), cause)
  })
}

test('an obstacle that still stands counts up to the last note', () => {
  const history = new ObstacleHistory()
  history.note('blocked', 0)
  history.note('blocked', 8_000)
  assert.equal(history.causeOf(0, 10_000), 'blocked')
})
