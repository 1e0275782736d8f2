import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { Screen } from '../doubles/screen.ts'
import { PROGRAM } from '../fixtures/fanfare.ts'

const settings = { WS_POOL_SIZE: '20', MSG_COUNT: '60', MSG_DELAY: '20', METRICS_PORT: '0', ALLOW_INVALID: 'on' }

interface Shown {
  readonly exitCode: number | null
  /** Everything that went to the terminal, escape sequences included. */
  readonly output: string
}

/** Runs the demo on a pseudo-terminal of the given size, which util-linux's `script` makes. */
function demoOnTerminal(size: { columns: number; rows: number }, env: Record<string, string> = {}): Promise<Shown> {
  const folder = mkdtempSync(join(tmpdir(), 'fanfare-terminal-'))
  const command = `stty cols ${size.columns} rows ${size.rows}; exec ${process.execPath} ${PROGRAM} demo`
  const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, TERM: 'xterm', REPORT_DIR: folder, ...settings, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  return new Promise((resolve) => {
    child.once('close', (exitCode) => {
      rmSync(folder, { recursive: true, force: true })
      resolve({ exitCode, output })
    })
  })
}

const hasScript = spawnSync('script', ['--version']).status === 0
if (!hasScript && process.env.CI === undefined)
  console.log('not run: the demo on a terminal, because there is no `script` (Debian package bsdutils)')
const terminalTest = hasScript || process.env.CI !== undefined ? test : () => undefined

terminalTest('on a terminal a live view is drawn, and gone when the summary comes', async () => {
  for (const size of [
    { columns: 80, rows: 24 },
    { columns: 200, rows: 50 },
  ]) {
    const { exitCode, output } = await demoOnTerminal(size)
    assert.equal(exitCode, 0, output)
    assert.match(output, /█+░*\s+[\d.]+ % of 60 probes/)
    assert.match(output, /20 ready {2}20 opened/)

    const screen = new Screen(size.columns, size.rows)
    screen.write(output)
    assert.equal(screen.isCursorShown, true)
    const lines = screen.text().split('\n')
    assert.equal(lines.filter((line) => /^(?:fanfare [0-9a-z]{8} |broker |last second )/.test(line)).length, 0, screen.text())
    assert.equal(lines.filter((line) => line.startsWith('PASS: ')).length, 1, screen.text())
    assert.equal(lines.at(-2), 'Received 1200 messages')
  }
})

terminalTest('NO_COLOR takes the colours away and leaves the live view', async () => {
  const { output } = await demoOnTerminal({ columns: 80, rows: 24 }, { NO_COLOR: '1' })
  assert.match(output, /% of 60 probes/)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
  assert.doesNotMatch(output, /\u001b\[[\d;]*m/)
})

terminalTest('a dumb terminal gets plain lines', async () => {
  const { output } = await demoOnTerminal({ columns: 80, rows: 24 }, { TERM: 'dumb' })
  assert.equal(output.includes('\u001b'), false)
  assert.match(output, /publish [\d.]+ % of 60 probes/)
})
