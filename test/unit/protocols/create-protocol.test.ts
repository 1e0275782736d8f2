import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createProtocol } from '../../../src/protocols/create-protocol.ts'

const settings = { wsHeaders: [], wsToken: undefined, wsSubprotocol: undefined, rangoSubscribe: 'url', plainReady: undefined } as const

it('PROTOCOL names the dialect', () => {
  assert.equal(createProtocol({ ...settings, protocol: 'rango' }).name, 'rango')
  assert.equal(createProtocol({ ...settings, protocol: 'plain' }).name, 'plain')
})

it('an unknown dialect is refused with the known ones named', () => {
  for (const protocol of ['smoke-signals', 'toString']) {
    assert.throws(() => createProtocol({ ...settings, protocol }), { code: 'settings-invalid', message: /rango, plain/ })
  }
})
