/**
 * Debian's mosquitto as a target that speaks MQTT 5: a broker of its own on loopback, with a WebSocket listener, two users
 * and one topic tree that the second of them may not read. It is no double of ours in any other sense: nobody here wrote it.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from './eventually.ts'

const PROGRAM = '/usr/sbin/mosquitto'

export const reader = { user: 'reader', password: 'a password' }
/** May log in, and read below `open/` only. */
export const limited = { user: 'limited', password: 'another' }

export interface Mosquitto {
  /** For WS_ADDR. */
  readonly wsAddr: string
  stop(): Promise<void>
}

export async function startMosquitto(): Promise<Mosquitto> {
  const folder = mkdtempSync(join(tmpdir(), 'fanfare-mosquitto-'))
  const port = await freePort()
  const passwords = join(folder, 'passwords')
  writeFileSync(passwords, [reader, limited].map(({ user, password }) => `${user}:${password}\n`).join(''), { mode: 0o600 })
  execFileSync('mosquitto_passwd', ['-U', passwords])
  const acl = join(folder, 'acl')
  writeFileSync(acl, `user ${reader.user}\ntopic readwrite #\n\nuser ${limited.user}\ntopic read open/#\n`, { mode: 0o600 })
  const configuration = join(folder, 'mosquitto.conf')
  writeFileSync(
    configuration,
    [
      // mosquitto 2.0.11 does not start with WebSocket listeners alone.
      `listener ${await freePort()} 127.0.0.1`,
      `listener ${port} 127.0.0.1`,
      'protocol websockets',
      'socket_domain ipv4',
      'allow_anonymous false',
      `password_file ${passwords}`,
      `acl_file ${acl}`,
      'persistence false',
      'max_queued_messages 0',
      ...(process.getuid?.() === 0 ? ['user root'] : []),
      '',
    ].join('\n'),
  )

  const child = spawn(PROGRAM, ['-c', configuration], { stdio: ['ignore', 'ignore', 'pipe'] })
  await untilItListens(child, port)
  return {
    wsAddr: `ws://127.0.0.1:${port}/`,
    async stop() {
      child.kill('SIGTERM')
      await eventually(() => child.exitCode !== null || child.signalCode !== null, 'mosquitto has ended')
      rmSync(folder, { recursive: true })
    },
  }
}

/** mosquitto takes no port 0. Below the range of outgoing ports, or a socket that looks whether it listens could meet itself. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000)
    if (await canBind(port)) return port
  }
}

const canBind = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer().on('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })

async function untilItListens(child: ChildProcess, port: number): Promise<void> {
  const said: string[] = []
  child.stderr?.setEncoding('utf8').on('data', (text: string) => said.push(text))
  let isListening = false
  await eventually(() => {
    if (child.exitCode !== null) throw new Error(`mosquitto ended: ${said.join('')}`)
    const socket = connect(port, '127.0.0.1', () => {
      isListening = true
      socket.destroy()
    }).on('error', () => {})
    return isListening
  }, 'mosquitto listens')
}
