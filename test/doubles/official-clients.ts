/** The official clients of MQTT and STOMP as subscribers beside a run; they count the measured probes they hear. */
import { Client } from '@stomp/stompjs'
import mqtt from 'mqtt'
import { WebSocket } from 'ws'

export interface Login {
  readonly user: string
  readonly password: string
}

export interface OfficialClient {
  /** Measured probes by token, in the order of arrival. */
  readonly heard: readonly string[]
  close(): Promise<void>
}

/** Run, stream and sequence; canary and warm-up probes are not measured. */
const MEASURED = /~ff1\.[0-9a-z]{8}\.(?!zzz)[0-9a-z]{4}\.\d{10}/g

/** Resolves when the subscription is granted. */
export async function subscribeWithMqtt(
  wsAddr: string,
  topic: string,
  { user, password }: Login,
  protocolVersion: 4 | 5,
): Promise<OfficialClient> {
  const heard: string[] = []
  const client = await mqtt.connectAsync(wsAddr, { protocolVersion, username: user, password, reconnectPeriod: 0 })
  client.on('message', (_topic, payload) => heard.push(...(payload.toString().match(MEASURED) ?? [])))
  await client.subscribeAsync(topic)
  return { heard, close: () => client.endAsync(true) }
}

/** Resolves when the subscription has its receipt. */
export async function subscribeWithStomp(wsAddr: string, destination: string, { user, password }: Login): Promise<OfficialClient> {
  const heard: string[] = []
  const client = new Client({
    webSocketFactory: () => new WebSocket(wsAddr, ['v12.stomp']),
    connectHeaders: { login: user, passcode: password, host: '/' },
    reconnectDelay: 0,
  })
  await new Promise<void>((resolve, reject) => {
    client.onStompError = (frame) => reject(new Error(frame.body))
    client.onConnect = () => {
      client.watchForReceipt('subscribed', () => resolve())
      client.subscribe(destination, ({ body }) => heard.push(...(body.match(MEASURED) ?? [])), { receipt: 'subscribed' })
    }
    client.activate()
  })
  return { heard, close: () => client.deactivate({ force: true }) }
}
