import assert from 'node:assert/strict'
import { it } from 'node:test'
import { type EngineSettings, engineFor } from '../../../../src/clients/engines/create-engine.ts'

const settings: EngineSettings = {
  engine: 'fast',
  compression: false,
  wsAddr: ['ws://a/', 'WS://b/'],
  maxFrameBytes: 1_000,
  tlsCa: undefined,
  tlsCert: undefined,
  tlsKey: undefined,
  tlsInsecure: false,
}

// what was asked for, which engine
const rows: [what: string, more: Partial<EngineSettings>, engine: string][] = [
  ['plain targets', {}, 'fast'],
  ['ENGINE=ws', { engine: 'ws' }, 'ws'],
  ['compression', { compression: true }, 'ws'],
  ['one target with TLS among others', { wsAddr: ['ws://a/', 'wss://b/'] }, 'ws'],
]
for (const [what, more, engine] of rows) {
  it(`${what} takes the ${engine} engine`, () => {
    assert.equal(engineFor({ ...settings, ...more }), engine)
  })
}
