/** What reason codes mean, in the specifications' words: CONNACK and SUBACK of 3.1.1, and the codes 5 shares among its packets. */
import type { MqttVersion } from './packet-writer.ts'

/** 3.1.1 §3.2.2.3, table 3.1. */
const CONNACK_3: Readonly<Record<number, string>> = {
  1: 'unacceptable protocol version',
  2: 'identifier rejected',
  3: 'server unavailable',
  4: 'bad user name or password',
  5: 'not authorized',
}

/** 5.0 §2.4, table 2-6: what can come in CONNACK, SUBACK or DISCONNECT. */
const REASONS_5: Readonly<Record<number, string>> = {
  128: 'unspecified error',
  129: 'malformed packet',
  130: 'protocol error',
  131: 'implementation specific error',
  132: 'unsupported protocol version',
  133: 'client identifier not valid',
  134: 'bad user name or password',
  135: 'not authorized',
  136: 'server unavailable',
  137: 'server busy',
  138: 'banned',
  139: 'server shutting down',
  140: 'bad authentication method',
  141: 'keep alive timeout',
  142: 'session taken over',
  143: 'topic filter invalid',
  144: 'topic name invalid',
  147: 'receive maximum exceeded',
  148: 'topic alias invalid',
  149: 'packet too large',
  150: 'message rate too high',
  151: 'quota exceeded',
  152: 'administrative action',
  153: 'payload format invalid',
  154: 'retain not supported',
  155: 'QoS not supported',
  156: 'use another server',
  157: 'server moved',
  158: 'shared subscriptions not supported',
  159: 'connection rate exceeded',
  160: 'maximum connect time',
  161: 'subscription identifiers not supported',
  162: 'wildcard subscriptions not supported',
}

/** A code that is not success, with its name: "not authorized (135)". A 3.1.1 server may also answer with codes of 5. */
export function reasonText(version: MqttVersion, code: number): string {
  const name = (version === '3.1.1' ? CONNACK_3[code] : undefined) ?? REASONS_5[code] ?? 'unknown reason'
  return `${name} (${code})`
}
