/**
 * Deep equality that forgives the last digits of floating sums (means and deviations, whose parts may be added in any order) and the
 * difference between lists and typed arrays. All other numbers must be equal.
 */
import assert from 'node:assert/strict'

export function assertClose(actual: unknown, expected: unknown, path = 'value'): void {
  if (typeof actual === 'number' && typeof expected === 'number') {
    assert.ok(Math.abs(actual - expected) <= toleranceOf(path, actual, expected), `${path}: ${actual} is not ${expected}`)
    return
  }
  if (typeof actual !== 'object' || actual === null || typeof expected !== 'object' || expected === null) {
    assert.equal(actual, expected, path)
    return
  }
  assert.deepEqual(keysOf(actual), keysOf(expected), path)
  for (const key of keysOf(actual)) {
    assertClose((actual as Record<string, unknown>)[key], (expected as Record<string, unknown>)[key], `${path}.${key}`)
  }
}

const toleranceOf = (path: string, a: number, b: number): number =>
  /\.(mean|m2)$/.test(path) ? 1e-5 + 1e-9 * Math.max(Math.abs(a), Math.abs(b)) : 0

const keysOf = (value: object): string[] => Object.keys(value).sort()
