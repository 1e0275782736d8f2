/**
 * The registry of dialects: PROTOCOL names one. A new dialect is one file beside this one and one row here.
 */
import { FanfareError } from '../errors.ts'
import { createMqtt, type MqttSettings } from './mqtt/mqtt.ts'
import { createPlain, type PlainSettings } from './plain.ts'
import type { Protocol } from './protocol.ts'
import { createRango, type RangoSettings } from './rango.ts'
import { createStomp, type StompSettings } from './stomp/stomp.ts'

/** What dialects read of the settings. */
export interface ProtocolSettings extends RangoSettings, PlainSettings, MqttSettings, StompSettings {
  readonly protocol: string
}

const dialects: Readonly<Record<string, (settings: ProtocolSettings) => Protocol>> = {
  rango: createRango,
  plain: createPlain,
  mqtt: createMqtt,
  stomp: createStomp,
}

/** One dialect for all clients of a thread. Throws `settings-invalid` when its settings make no sense. */
export function createProtocol(settings: ProtocolSettings): Protocol {
  const create = Object.hasOwn(dialects, settings.protocol) ? dialects[settings.protocol] : undefined
  if (create !== undefined) return create(settings)
  const known = Object.keys(dialects).join(', ')
  throw new FanfareError('settings-invalid', `Expected \`PROTOCOL\` to be one of ${known}, got \`${settings.protocol}\``)
}
