import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { LocalPorts, localPortRange, slicePorts } from '../../../src/clients/local-ports.ts'

describe('the local port range', () => {
  it('is what the kernel says', () => {
    assert.deepEqual(
      localPortRange(() => '1024\t65535\n'),
      { first: 1_024, last: 65_535 },
    )
  })

  it('is the usual one where nothing can be read', () => {
    const usual = { first: 32_768, last: 60_999 }
    for (const text of ['', 'x y', '5', '9 1'])
      assert.deepEqual(
        localPortRange(() => text),
        usual,
      )
    assert.deepEqual(
      localPortRange(() => {
        throw new Error('no /proc here')
      }),
      usual,
    )
  })

  it('is sliced without overlap or gap', () => {
    const range = { first: 100, last: 1_099 }
    for (const slices of [1, 3, 7]) {
      const parts = Array.from({ length: slices }, (_, index) => slicePorts(range, index, slices))
      assert.equal(parts[0]!.first, 100)
      assert.equal(parts.at(-1)!.last, 1_099)
      parts.slice(1).forEach((part, index) => {
        assert.equal(part.first, parts[index]!.last + 1)
      })
    }
  })
})

describe('local ports', () => {
  it('come in turn, each pair with its own, and begin again at the end of the slice', () => {
    const ports = new LocalPorts({ first: 10, last: 12 }, 0.5)
    assert.deepEqual(
      [0, 0, 0, 0, 7].map((pair) => ports.next(pair)),
      [11, 12, 10, 11, 11],
    )
  })

  it('are given up when the whole slice was busy without a success in between', () => {
    const ports = new LocalPorts({ first: 10, last: 12 }, 0)
    assert.deepEqual([ports.wasBusy(0), ports.wasBusy(0)], [true, true])
    ports.worked(0)
    assert.deepEqual([ports.wasBusy(0), ports.wasBusy(0), ports.wasBusy(0), ports.wasBusy(1)], [true, true, false, true])
  })
})
