import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatBytes, formatCounted, formatDuration, formatNumber, formatRate, formatShare } from '../../../src/report/format.ts'

test('durations read in the unit people would choose, with three significant digits', () => {
  const rows: [us: number, text: string][] = [
    [0, '0 µs'],
    [0.25, '0.25 µs'],
    [820, '820 µs'],
    [999.6, '1 ms'],
    [38_240, '38.2 ms'],
    [999_700, '1 s'],
    [1_520_000, '1.52 s'],
    [59_960_000, '1 min 0 s'],
    [125_000_000, '2 min 5 s'],
    [3_599_800_000, '1 h 0 min'],
    [3_720_000_000, '1 h 2 min'],
    [-38_240, '−38.2 ms'],
  ]
  for (const [us, text] of rows) assert.equal(formatDuration(us), text)
})

test('a share that is not all never reads 100 %, and one that is not nothing never reads 0 %', () => {
  const rows: [ratio: number, text: string][] = [
    [0, '0 %'],
    [1, '100 %'],
    [0.87, '87 %'],
    [0.999, '99.9 %'],
    [0.999_999, '99.9999 %'],
    [999_999_999 / 1_000_000_000, '99.9999999 %'],
    [0.000_001_2, '0.00012 %'],
    [1.5, '150 %'],
  ]
  for (const [ratio, text] of rows) assert.equal(formatShare(ratio), text)
})

test('counts, rates and bytes carry separators and units', () => {
  assert.equal(formatCounted(1, 'client'), '1 client')
  assert.equal(formatCounted(1_000, 'client'), '1,000 clients')
  assert.equal(formatCounted(2, 'delivery', 'deliveries'), '2 deliveries')
  assert.equal(formatRate(33_333.3), '33,333/s')
  assert.equal(formatNumber(33.333), '33.3')
  assert.equal(formatBytes(512), '512 B')
  assert.equal(formatBytes(4_608), '4.5 KB')
  assert.equal(formatBytes(1.25 * 1_024 ** 3), '1.25 GB')
})
