import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { loadSettings, type SettingsInput } from '../../../src/config/load.ts'
import { makePlan } from '../../../src/config/plan.ts'
import { settingsTable } from '../../../src/config/settings.ts'
import { shownSettings } from '../../../src/config/shown-settings.ts'
import { FanfareError } from '../../../src/errors.ts'
import { compileTemplate } from '../../../src/probe/template.ts'
import { createProtocol } from '../../../src/protocols/create-protocol.ts'
import { parseThresholds } from '../../../src/report/thresholds.ts'

function complaintAbout(input: SettingsInput): string {
  try {
    loadSettings(input)
  } catch (error) {
    assert.ok(error instanceof FanfareError)
    assert.equal(error.code, 'settings-invalid')
    return error.message
  }
  return assert.fail('the settings were accepted')
}

const warningsOf = (input: SettingsInput) => loadSettings(input).warnings.map((warning) => warning.text)

test('with nothing said, the defaults are the seed tool’s', () => {
  const { settings, sources, warnings } = loadSettings({})
  assert.equal(settings.wsPoolSize, 20_000)
  assert.deepEqual(settings.wsAddr, ['ws://localhost:8080/'])
  assert.equal(settings.msgCount, undefined)
  assert.equal(sources.wsPoolSize, 'default')
  assert.deepEqual(warnings, [])
})

test('a flag wins over the environment, that over the .env file, that over the default', () => {
  const all = { flags: { '--msg-count': '1' }, env: { MSG_COUNT: '2' }, dotenv: { MSG_COUNT: '3' } }
  const loaded = ({ settings, sources }: ReturnType<typeof loadSettings>) => [settings.msgCount, sources.msgCount]
  assert.deepEqual(loaded(loadSettings(all)), [1, 'flag'])
  assert.deepEqual(loaded(loadSettings({ ...all, flags: {} })), [2, 'environment'])
  assert.deepEqual(loaded(loadSettings({ dotenv: all.dotenv })), [3, '.env file'])
  assert.deepEqual(loaded(loadSettings({ demoDefaults: { msgCount: 300 } })), [300, 'demo default'])
  assert.deepEqual(loaded(loadSettings({ dotenv: all.dotenv, demoDefaults: { msgCount: 300 } })), [3, '.env file'])
})

test('an empty text counts as not set, so the next source is asked', () => {
  const { settings, sources } = loadSettings({ flags: { '--msg-count': '' }, env: { MSG_COUNT: '' }, dotenv: { MSG_COUNT: '3' } })
  assert.equal(settings.msgCount, 3)
  assert.equal(sources.msgCount, '.env file')
})

test('a complaint names the setting, the rule, the value and where it came from', () => {
  assert.equal(
    complaintAbout({ env: { MSG_COUNT: 'ten' } }),
    'Expected `MSG_COUNT` to be an integer from 1 to 2000000000, got `ten` (from the environment)',
  )
  assert.match(complaintAbout({ flags: { '--msg-count': '0' } }), /got `0` \(from the flag --msg-count\)/)
  assert.match(complaintAbout({ dotenv: { CANARY: 'maybe' } }), /`CANARY` to be on or off .* got `maybe` \(from the \.env file\)/)
})

test('everything that is wrong is listed at once', () => {
  const message = complaintAbout({
    flags: { '--msg-cuont': '5', '--rate': 'fast', '--frobnicate': '' },
    env: { WS_POOL_SIZE: '-3', TLS_CERT: 'client.pem' },
    dotenv: { PROTOCOL: 'smtp' },
  })
  const lines = message.split('\n')
  assert.equal(lines[0], '7 settings make no sense:')
  for (const expected of [
    'got `--msg-cuont`; did you mean `--msg-count`?',
    'got `--frobnicate`',
    '`RATE`',
    '`WS_POOL_SIZE`',
    '`PROTOCOL`',
    '`TLS_KEY` to be given together with `TLS_CERT`',
    '`TLS_CERT` to be a readable file, got `client.pem`',
  ])
    assert.equal(lines.filter((line) => line.includes(expected)).length, 1, expected)
})

test('secrets never show, neither in complaints nor in what is shown of good settings', () => {
  const env = {
    AMQP_ADDR: 'amqp://guest:hunter2@rabbit:5672/x y',
    WS_TOKEN: 'hunter2 hunter2',
    WS_HEADERS: 'Authorization hunter2',
    WS_ADDR: 'http://u:hunter2@host/?token=hunter2',
  }
  assert.equal(complaintAbout({ env }).split('\n').length, 5)
  assert.ok(!complaintAbout({ env }).includes('hunter2'))
  const { settings } = loadSettings({
    env: {
      AMQP_ADDR: 'amqp://guest:hunter2@rabbit',
      WS_TOKEN: 'hunter2',
      WS_HEADERS: 'Cookie: hunter2',
      RABBITMQ_API_URL: 'http://u:hunter2@rabbit:15672',
    },
  })
  const shown = shownSettings(settings)
  assert.ok(!JSON.stringify(shown).includes('hunter2'))
  assert.equal(shown.AMQP_ADDR, 'amqp://guest:***@rabbit')
  assert.equal(shown.WS_POOL_SIZE, '20000')
  assert.equal(shown.RATE, undefined)
})

test('a long or many-lined value is shown on one short line', () => {
  const message = complaintAbout({ env: { PROTOCOL: `a\nb${'x'.repeat(5_000)}` } })
  assert.ok(message.length < 400)
  assert.match(message, /got `a\\nbx+… \(5003 characters\)`/)
})

test('settings that contradict each other are refused', () => {
  const refused: [Record<string, string>, RegExp][] = [
    [{ RATE: '10', MSG_DELAY: '30' }, /either `RATE` or `MSG_DELAY`, got both \(from the environment and from the environment\)/],
    [{ DURATION: '10', MSG_COUNT: '30' }, /either `DURATION` or `MSG_COUNT`/],
    [{ DURATION: '10', MSG_DELAY: '0' }, /`DURATION` to come with a pace above 0/],
    [{ DURATION: '31536000', RATE: '10000000' }, /`DURATION` to make at most 2000000000 probes/],
    [{ WS_POOL_SIZE: '10', READY_QUORUM: '11' }, /`READY_QUORUM` to be at most the roster of 10 clients, got `11`/],
    [{ STREAM: 'public.{{runn}}' }, /`STREAM` to hold no placeholders but \{\{run\}\}, .*got \{\{runn\}\}/],
    [{ AMQP_ROUTING_KEY: '{{streem}}' }, /`AMQP_ROUTING_KEY` to hold no placeholders/],
    [{ STREAM_SCOPE: 'replica', STREAM: 'public.x' }, /`STREAM` to hold \{\{replica\}\} when STREAM_SCOPE=replica/],
    [{ STREAMS: '3', STREAM: 'public.x' }, /`STREAM` to hold \{\{index\}\} when STREAMS=3/],
    [{ STREAMS: '3', STREAMS_PER_CLIENT: '4' }, /`STREAMS_PER_CLIENT` to be at most STREAMS \(3\), got `4`/],
    [{ STREAMS: '1000', WARMUP_COUNT: '10000000' }, /`WARMUP_COUNT` × STREAMS to be at most 2000000000 probes, got 10000000000/],
    [{ PROTOCOL: 'mqtt', MQTT_CLIENT_ID: 'tester' }, /`MQTT_CLIENT_ID` to hold \{\{index\}\}/],
    [{ PROTOCOL: 'mqtt', PROTOCOL_USER: '{{stream}}' }, /`PROTOCOL_USER` to hold no placeholders but .*, got \{\{stream\}\}/],
    [{ STREAM: 'public.{{replica}}' }, /\{\{replica\}\} only when STREAM_SCOPE=replica/],
    [{ AMQP_ROUTING_KEY: '{{stream}}'.repeat(20) }, /keys of at most 255 bytes, got 300/],
  ]
  for (const [env, expected] of refused) assert.match(complaintAbout({ env }), expected)
})

test('a rule about several settings is not asked when one of them is already wrong', () => {
  const message = complaintAbout({ env: { RATE: 'fast', MSG_DELAY: '30', DURATION: '5' } })
  assert.equal(message, 'Expected `RATE` to be a number from 0.001 to 10000000 (probes/s), got `fast` (from the environment)')
})

test('a demo default gives way to its counterpart', () => {
  const { settings } = loadSettings({
    env: { RATE: '50', DURATION: '2' },
    demoDefaults: { msgDelayMs: 30, msgCount: 300, wsPoolSize: 1_000 },
  })
  assert.deepEqual([settings.msgDelayMs, settings.msgCount, settings.wsPoolSize], [undefined, undefined, 1_000])
})

test('a quorum over several replicas is checked when their number is known', () => {
  const env = { WS_POOL_SIZE: '10', READY_QUORUM: '25' }
  assert.equal(loadSettings({ env, isReplicated: true }).settings.readyQuorum, 25)
  assert.match(complaintAbout({ env: { ...env, REPLICAS: '2' }, isReplicated: true }), /roster of 20 clients/)
  assert.equal(loadSettings({ env: { ...env, REPLICAS: '3' }, isReplicated: true }).settings.readyQuorum, 25)
})

test('rules of other parts are asked, and their sentences passed on', () => {
  const rules = {
    thresholds: parseThresholds,
    body: compileTemplate,
    dialect: createProtocol,
  }
  assert.match(complaintAbout({ env: { THRESHOLDS: 'p42<1' }, rules }), /`THRESHOLDS` .*\(from the environment\):\n.*needs a unit/)
  assert.match(
    complaintAbout({ env: { PAYLOAD_TEMPLATE: 'hello' }, rules }),
    /^Expected `PAYLOAD_TEMPLATE` to make a body \(from the environment\): .*\{\{probe\}\} exactly once/,
  )
  assert.match(complaintAbout({ env: { MSG_SIZE: '10' }, rules }), /^Expected `MSG_SIZE` to make a body .*at least \d+ bytes.*got 10$/)
  assert.equal(loadSettings({ env: { MSG_SIZE: '1000', THRESHOLDS: 'p99<1s' }, rules }).settings.msgSizeBytes, 1_000)
})

test('words that belong to no flag are refused', () => {
  assert.equal(complaintAbout({ strayWords: ['ws://a/'] }), 'Expected flags only, got `ws://a/`')
})

test('TLS files must be readable, be PEM and come in pairs', (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'fanfare-load-'))
  context.after(() => rmSync(folder, { recursive: true }))
  const garbage = join(folder, 'garbage.pem')
  writeFileSync(garbage, 'not a certificate')
  assert.match(
    complaintAbout({ env: { TLS_CA: join(folder, 'missing.pem') } }),
    /^Expected `TLS_CA` to be a readable file, got `.*missing\.pem`: ENOENT/,
  )
  assert.match(complaintAbout({ env: { TLS_CA: garbage } }), /^Expected `TLS_CA` to hold PEM certificates/)
  assert.match(complaintAbout({ env: { TLS_KEY: garbage } }), /^Expected `TLS_CERT` to be given together with `TLS_KEY`/)
  assert.match(
    complaintAbout({ env: { TLS_CERT: garbage, TLS_KEY: garbage } }),
    /^Expected `TLS_CERT` and `TLS_KEY` to be a PEM certificate and its key/,
  )

  const [cert, key] = ['cert.pem', 'key.pem'].map((name) => fileURLToPath(new URL(`../../fixtures/tls/${name}`, import.meta.url)))
  assert.equal(loadSettings({ env: { TLS_CA: cert, TLS_CERT: cert, TLS_KEY: key } }).settings.tlsKey, key)
})

test('variables that were meant to be settings are warned about, and never shown', () => {
  const texts = warningsOf({ env: { WS_POOLSIZE: '5', PATH: '/bin' }, dotenv: { AMQP_ADR: 'amqp://u:hunter2@h' } })
  assert.deepEqual(texts, [
    'WS_POOLSIZE (in the environment) is not a setting and does nothing; did you mean WS_POOL_SIZE?',
    'AMQP_ADR (in the .env file) is not a setting and does nothing; did you mean AMQP_ADDR?',
  ])
})

test('settings that do nothing in this combination are warned about', () => {
  assert.deepEqual(warningsOf({ env: { INJECTOR: 'none', RATE: '5' } }), ['RATE does nothing here: it is used with INJECTOR=amqp.'])
  assert.deepEqual(warningsOf({ env: { PLAIN_READY: 'ok' } }), ['PLAIN_READY does nothing here: it is used with PROTOCOL=plain.'])
  assert.deepEqual(warningsOf({ env: { WS_ADDR: 'ws://a/' }, decidedByCommand: ['wsAddr', 'amqpAddr'] }), [
    'WS_ADDR does nothing here: this command brings its own.',
  ])
  assert.equal(warningsOf({ env: { REPLICAS: '3' } }).length, 1)
  assert.deepEqual(warningsOf({ env: { REPLICAS: '3' }, isReplicated: true }), [])
})

test('whatever texts stand in the environment, they are accepted or refused with the one error, never anything else', () => {
  const variables = Object.values(settingsTable).map((row) => row.env)
  // Texts near the rules find more than random ones.
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 30 }),
    fc.constantFrom(
      '0',
      '1',
      '-1',
      '99999999999',
      '1e9',
      'on',
      'off',
      'none',
      'replica',
      'ws://a/',
      'amqp://u:p@h',
      '{{run}}',
      '{{x}}',
      '(',
    ),
  )
  const environment = fc.dictionary(fc.constantFrom(...variables), text, { maxKeys: 12 })
  fc.assert(
    fc.property(environment, fc.boolean(), (env, isReplicated) => {
      try {
        const { settings } = loadSettings({ env, isReplicated, rules: { body: compileTemplate, thresholds: parseThresholds } })
        makePlan(settings, { runClockOffsetUs: 0 })
      } catch (error) {
        assert.ok(error instanceof FanfareError, String(error))
        assert.equal(error.code, 'settings-invalid')
      }
    }),
    { numRuns: 500 },
  )
})

test('a setting that this version does not act on yet says so instead of passing for heard', () => {
  const { warnings } = loadSettings({ env: { TARGET_METRICS_URL: 'http://127.0.0.1:4242/' } })
  assert.deepEqual(
    warnings.map(({ text }) => text),
    ['TARGET_METRICS_URL does nothing here: it is used by cross-checks, which this version does not have.'],
  )
})
