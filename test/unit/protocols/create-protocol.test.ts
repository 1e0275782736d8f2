import assert from 'node:assert/strict'
import { it } from 'node:test'
import { loadSettings } from '../../../src/config/load.ts'
import { settingsTable } from '../../../src/config/settings.ts'
import { createProtocol } from '../../../src/protocols/create-protocol.ts'

const { settings } = loadSettings({})

it('PROTOCOL names the dialect, and every name it may have is one', () => {
  for (const name of settingsTable.protocol.kind.rule.replace('one of ', '').split(', ')) {
    assert.equal(createProtocol({ ...settings, protocol: name }).name, name)
  }
})

it('an unknown dialect is refused with the known ones named', () => {
  for (const protocol of ['smoke-signals', 'toString']) {
    assert.throws(() => createProtocol({ ...settings, protocol }), { code: 'settings-invalid', message: /rango, plain, mqtt, stomp/ })
  }
})
