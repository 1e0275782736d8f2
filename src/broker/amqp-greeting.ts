/**
 * What stands behind a port: says the AMQP greeting over a bare socket and looks at the first bytes of the answer. Used only to
 * explain a failure of the AMQP client, whose own errors cannot tell an HTTP server from TLS. Bounded in time and bytes.
 */
import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

const AMQP_0_9_1_HEADER = Buffer.from('AMQP\x00\x00\x09\x01', 'latin1')
const TLS_ALERT = 0x15
const TLS_HANDSHAKE = 0x16
const TLS_MAJOR_VERSION = 0x03
const METHOD_FRAME = 0x01
/** Of a foreign greeting, at most this much is shown. */
const SHOWN_CHARACTERS = 24

/**
 * `amqp`: method frames of 0-9-1, or its header in answer to something else; `other-amqp`: another version of AMQP; `text`: some
 * other talkative server; `closed`: ended without a byte; `silent`: open without a byte; `none`: no connection or no TLS handshake.
 */
export type Greeting =
  | { readonly kind: 'amqp' | 'other-amqp' | 'http' | 'tls' | 'bytes' | 'closed' | 'silent' | 'none' }
  | { readonly kind: 'text'; readonly shown: string }

export interface GreetingAsk {
  readonly host: string
  readonly port: number
  readonly isTls: boolean
  readonly timeoutMs: number
}

/** Dials, greets, listens. Never rejects. */
export function greet(ask: GreetingAsk): Promise<Greeting> {
  return new Promise((resolve) => {
    const socket = dial(ask)
    let isConnected = false
    let answer = Buffer.alloc(0)
    const finish = (greeting: Greeting): void => {
      clearTimeout(timer)
      socket.destroy()
      resolve(greeting)
    }
    const heard = (): Greeting | undefined => (answer.length > 0 ? classifyGreeting(answer) : undefined)
    const timer = setTimeout(() => finish(heard() ?? { kind: isConnected ? 'silent' : 'none' }), ask.timeoutMs)
    socket.on(ask.isTls ? 'secureConnect' : 'connect', () => {
      isConnected = true
      socket.write(AMQP_0_9_1_HEADER)
    })
    socket.on('data', (bytes) => {
      answer = Buffer.concat([answer, bytes])
      if (answer.length >= AMQP_0_9_1_HEADER.length) finish(classifyGreeting(answer))
    })
    socket.on('error', () => finish(heard() ?? { kind: isConnected ? 'closed' : 'none' }))
    socket.on('close', () => finish(heard() ?? { kind: isConnected ? 'closed' : 'none' }))
  })
}

/** Pure: what the first bytes (at least one) say about the server. */
export function classifyGreeting(bytes: Buffer): Greeting {
  const text = bytes.subarray(0, SHOWN_CHARACTERS).toString('latin1')
  if (text.startsWith('AMQP')) return { kind: text.startsWith('AMQP\x00\x00\x09\x01') ? 'amqp' : 'other-amqp' }
  if (text.startsWith('HTTP/') || text.startsWith('<')) return { kind: 'http' }
  const [first, second] = bytes
  if ((first === TLS_ALERT || first === TLS_HANDSHAKE) && second === TLS_MAJOR_VERSION) return { kind: 'tls' }
  if (first === METHOD_FRAME && second === 0) return { kind: 'amqp' }
  if (/^[\x20-\x7e\r\n\t]+$/.test(text)) return { kind: 'text', shown: text.split(/[\r\n]/)[0] ?? '' }
  return { kind: 'bytes' }
}

function dial({ host, port, isTls }: GreetingAsk): Socket {
  if (!isTls) return connect({ host, port })
  // Only the first bytes matter here, nothing secret is said: any certificate will do.
  return connectTls({ host, port, rejectUnauthorized: false, ...(isIP(host) === 0 ? { servername: host } : {}) })
}
