import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createProgram, type Handlers, runCommandLine, type SettingsRequest, type ToolRequest } from '../../../src/cli/arguments.ts'
import { settingsTable } from '../../../src/config/settings.ts'

const commandNames = ['run', 'demo', 'doctor', 'coordinate', 'replica', 'target', 'broker', 'compare', 'report'] as const

/** Runs a command line with handlers that remember what they were asked. */
async function ask(argv: string[]) {
  const calls: [string, SettingsRequest | ToolRequest][] = []
  const handlers = Object.fromEntries(
    commandNames.map((name) => [
      name,
      async (request: SettingsRequest | ToolRequest) => {
        calls.push([name, request])
        return 42
      },
    ]),
  ) as unknown as Handlers
  const parts = {
    version: '1.2.3',
    handlers,
    targetFlags: [{ usage: '--port <number>', help: 'where to listen' }],
    brokerFlags: [],
    demoDefaults: { msgCount: 300 },
  }
  const exitCode = await runCommandLine(argv, parts)
  const program = createProgram(parts, () => {})
  return { exitCode, calls, program }
}

/** What `work` writes to stdout and stderr. */
async function outputOf(context: { mock: typeof import('node:test').mock }, work: () => Promise<unknown>) {
  const texts = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    context.mock.method(process[name], 'write', (text: string) => {
      texts[name] += text
      return true
    })
  }
  await work()
  context.mock.restoreAll()
  return texts
}

test('every command reaches its handler, and the handler decides the exit code', async () => {
  for (const name of commandNames) {
    const words = { compare: ['a.json', 'b.json'], report: ['a.json'] }[name as string] ?? []
    const { exitCode, calls } = await ask([name, ...words])
    assert.equal(exitCode, 42)
    assert.deepEqual(
      calls.map(([called]) => called),
      [name],
    )
  }
})

test('a command without a handler is not offered', () => {
  const { commands } = createProgram({ version: '1', handlers: { run: async () => 0 }, targetFlags: [], brokerFlags: [] }, () => {})
  assert.deepEqual(
    commands.map((command) => command.name()),
    ['run'],
  )
})

test('each setting has a flag on every command that works on settings', async () => {
  const { program } = await ask(['run'])
  for (const name of ['run', 'demo', 'doctor', 'coordinate', 'replica']) {
    const flags = program.commands.find((command) => command.name() === name)!.options.map((option) => option.long)
    for (const { flag } of Object.values(settingsTable)) assert.ok(flags.includes(flag), `${name} ${flag}`)
  }
})

test('flags arrive as they were written; a switch may stand alone', async () => {
  const { calls } = await ask(['run', '--msg-count', '5', '--rate=2', '--canary', '--reconnect', 'off', '--json'])
  assert.deepEqual(calls[0]![1], {
    flags: { '--msg-count': '5', '--rate': '2', '--canary': 'on', '--reconnect': 'off' },
    strayWords: [],
    isJson: true,
  })
})

test('unknown flags and stray words are passed on, so that they are refused together with everything else', async () => {
  const { calls } = await ask(['run', 'ws://a/', '--msg-cuont', '3', '--rate', '5', '--frob=7', 'b', '-q'])
  assert.deepEqual(calls[0]![1], {
    flags: { '--msg-cuont': '3', '--frob': '7', '-q': '', '--rate': '5' },
    strayWords: ['ws://a/', 'b'],
    isJson: false,
  })
})

test('commands with flags of their own get words and options', async () => {
  assert.deepEqual((await ask(['target', '--port', '8080'])).calls[0]![1], { words: [], options: { port: '8080' } })
  assert.deepEqual((await ask(['report', 'r.json', '--html'])).calls[0]![1], { words: ['r.json'], options: { html: true } })
})

test('a command line that makes no sense exits with 2 and starts nothing', async (context) => {
  const refused: [string[], RegExp][] = [
    [[], /Usage: fanfare/], // nothing asked must not look like a run that passed
    [['rnu'], /unknown command 'rnu'\n\(Did you mean run\?\)/],
    [['target', '--prt', '1'], /unknown option '--prt'\n\(Did you mean --port\?\)/],
    [['compare', 'a.json'], /missing required argument 'after'/],
    [['run', '--rate'], /'--rate <number>' argument missing/],
  ]
  for (const [argv, expected] of refused) {
    const output = await outputOf(context, async () => {
      const { exitCode, calls } = await ask(argv)
      assert.equal(exitCode, 2)
      assert.deepEqual(calls, [])
    })
    assert.match(output.stderr, expected)
    assert.equal(output.stdout, '')
  }
})

test('help and version go to stdout and exit with 0', async (context) => {
  for (const [argv, expected] of [
    [['--version'], /^1\.2\.3\n$/],
    [['--help'], /^Usage: fanfare/],
    [['help', 'run'], /^Usage: fanfare run/],
    [['doctor', '--help'], /^Usage: fanfare doctor/],
  ] as const) {
    const output = await outputOf(context, async () => assert.equal((await ask([...argv])).exitCode, 0))
    assert.match(output.stdout, expected)
    assert.equal(output.stderr, '')
  }
})

test('help names variable, default and unit of every setting, and fits 80 columns where words can be broken', async (context) => {
  const { stdout } = await outputOf(context, () => ask(['run', '--help']))
  for (const setting of Object.values(settingsTable)) {
    assert.ok(stdout.includes(`  ${setting.flag} `), setting.flag)
    assert.ok(new RegExp(`\\[${setting.env}[\\]=, ]|\\[${setting.env}$`, 'm').test(stdout), setting.env)
  }
  assert.match(stdout, /\[CONNECT_RATE=2000 clients\/s\]/)
  for (const line of stdout.split('\n')) assert.ok(line.length <= 80 || !line.trim().includes(' '), line)
})

test('the demo’s help shows the demo’s defaults', async (context) => {
  assert.match((await outputOf(context, () => ask(['demo', '--help']))).stdout, /\[MSG_COUNT=300\]/)
  assert.match((await outputOf(context, () => ask(['run', '--help']))).stdout, /\[MSG_COUNT=1000\]/)
})

test('the help of a choice names every word it takes', () => {
  for (const setting of Object.values(settingsTable)) {
    const words = /^one of (.*)$/.exec(setting.kind.rule)?.[1]?.split(', ') ?? []
    for (const word of words) assert.match(setting.help, new RegExp(`\\b${word}\\b`), `${setting.env}: ${word}`)
  }
})
