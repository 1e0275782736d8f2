import assert from 'node:assert/strict'
import { test } from 'node:test'
import { liveFigures } from '../../../../src/report/live-figures.ts'
import { LiveScreen } from '../../../../src/report/terminal/live-screen.ts'
import { liveView } from '../../../../src/report/terminal/live-view.ts'
import { secondsToUs } from '../../../../src/units.ts'
import { Screen } from '../../../doubles/screen.ts'
import { STARTED_US, simulateRun, stateOf } from '../../../fixtures/simulated-run.ts'

const result = simulateRun({ clients: 1_000, probes: 300, gapUs: 10_000 })
const figures = liveFigures(
  { ...stateOf(result, 'publish'), publisher: { ...result.publisher!, published: 200, confirmed: 199 } },
  STARTED_US + secondsToUs(4),
)
const wide = { columns: 100, rows: 24, isColoured: false }

test('the live view tells phase, progress and time to go, clients, rates, latencies, books, broker and tester', () => {
  const text = liveView(figures, wide).join('\n')
  for (const words of [
    /^fanfare fixt0001 {2}publish {2}4\.0 s {2}1\.0 s to go$/m,
    /█+░+ {2}66\.7 % of 300 probes$/m,
    /^clients +1,000 ready {2}1,000 opened {2}1,000 wanted$/m,
    /^probes +200 of 300 {2}100\/s of 100\/s asked {2}199 confirmed$/m,
    /^broker +flowing$/m,
    /^deliveries +300,000 {2}100,000\/s of 100,000\/s offered {2}0 outstanding$/m,
    /^ +0 lost {2}0 missed {2}0 duplicated {2}0 out of order$/m,
    /^last second +p50 5\.99 ms {2}p99 10\.9 ms {2}max 11 ms$/m,
    /^run +p50/m,
    /^tester +healthy {2}event loops up to 12\.5 % busy$/m,
  ]) {
    assert.match(text, words)
  }
})

test('no window is too small: lines never wrap and never fill the screen', () => {
  for (const columns of [1, 5, 12, 20, 39, 40, 80, 200]) {
    for (const rows of [1, 2, 5, 24]) {
      const lines = liveView(figures, { columns, rows, isColoured: false })
      assert.ok(lines.length <= Math.max(1, rows - 1))
      assert.deepEqual(
        lines.filter((line) => line.length > columns),
        [],
        `${columns} columns`,
      )
    }
  }
})

test('a narrow window keeps the first parts of each line', () => {
  const text = liveView(figures, { columns: 40, rows: 24, isColoured: false }).join('\n')
  assert.match(text, /^clients +1,000 ready {2}1,000 opened$/m)
})

test('without colour there is no escape sequence', () => {
  assert.equal(liveView(figures, wide).join('').includes('\u001b'), false)
  assert.equal(
    liveView(figures, { ...wide, isColoured: true })
      .join('')
      .includes('\u001b'),
    true,
  )
})

const screenOf = (terminal: Screen, lines = () => ['one', 'two', 'x'.repeat(30)]) => new LiveScreen({ terminal, lines, isColoured: false })

test('drawing again replaces the lines, closing leaves the screen as it was', () => {
  const terminal = new Screen(80, 24)
  terminal.write('before\n')
  const screen = screenOf(terminal)
  screen.draw()
  screen.draw()
  assert.equal(terminal.text(), `before\none\ntwo\n${'x'.repeat(30)}`)
  assert.equal(terminal.isCursorShown, false)
  screen.close()
  screen.close()
  screen.draw()
  assert.equal(terminal.text(), 'before')
  assert.equal(terminal.isCursorShown, true)
})

test('other text goes above the lines', () => {
  const terminal = new Screen(80, 24)
  const screen = screenOf(terminal)
  screen.draw()
  screen.writeAbove('the broker is back\n')
  screen.writeAbove('and gone\n')
  assert.equal(terminal.text(), `the broker is back\nand gone\none\ntwo\n${'x'.repeat(30)}`)
})

test('a window that became narrower, so that lines wrapped, leaves nothing behind', () => {
  const terminal = new Screen(80, 24)
  terminal.write('before\n')
  const screen = new LiveScreen({ terminal, lines: ({ columns }) => ['one', 'x'.repeat(Math.min(30, columns))], isColoured: false })
  screen.draw()
  terminal.resize(8, 24)
  screen.draw()
  assert.equal(terminal.text(), `before\none\n${'x'.repeat(8)}`)
  terminal.resize(100, 24)
  screen.draw()
  assert.equal(terminal.text(), `before\none\n${'x'.repeat(30)}`)
  screen.close()
  assert.equal(terminal.text(), 'before')
})
