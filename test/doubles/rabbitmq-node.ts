/**
 * A RabbitMQ node of a test's own, for what must not happen to a shared one: alarms, stops, revoked permissions. Runs the project's
 * own script; ends with the test process at the latest.
 */
import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const SCRIPT = fileURLToPath(new URL('../../scripts/rabbitmq.sh', import.meta.url))
const COMMAND_TIMEOUT_MS = 150_000
const execute = promisify(execFile)

export class RabbitMqNode {
  readonly #folder = mkdtempSync(join(tmpdir(), 'fanfare-rabbitmq-'))
  readonly #extras: readonly string[]
  readonly #endAtExit = (): void => {
    spawnSync(SCRIPT, ['kill', this.#folder])
    rmSync(this.#folder, { recursive: true, force: true })
  }
  /** What the script printed: TEST_AMQP_ADDR and one address for each extra. */
  addresses: Readonly<Record<string, string>> = {}

  /** @param extras management, web_stomp, web_mqtt, prometheus, tls */
  constructor(...extras: string[]) {
    this.#extras = extras
  }

  get url(): string {
    return this.addresses.TEST_AMQP_ADDR!
  }

  /** First start and every later one; data, users and ports stay. */
  async start(): Promise<void> {
    process.once('exit', this.#endAtExit)
    const printed = await this.#run('start', ...this.#extras)
    this.addresses = Object.fromEntries(printed.split('\n').flatMap((line) => (line.includes('=') ? [splitOnce(line)] : [])))
  }

  async stop(): Promise<void> {
    await this.#run('stop')
  }

  /** The node stops reading and answering, without closing anything, until `resume`. */
  freeze(): void {
    process.kill(this.#pid, 'SIGSTOP')
  }

  resume(): void {
    process.kill(this.#pid, 'SIGCONT')
  }

  get #pid(): number {
    return Number(readFileSync(join(this.#folder, 'node.pid'), 'utf8'))
  }

  /** `rabbitmqctl` on this node; resolves with what it prints. */
  async ctl(...args: string[]): Promise<string> {
    return this.#run('ctl', '--quiet', ...args)
  }

  /** `rabbitmq-plugins` on this node: `disable NAME` cuts its connections, `enable NAME` listens again. */
  async plugins(...args: string[]): Promise<string> {
    return this.#run('plugins', '--quiet', ...args)
  }

  async remove(): Promise<void> {
    await this.stop()
    process.off('exit', this.#endAtExit)
    rmSync(this.#folder, { recursive: true, force: true })
  }

  async #run(command: string, ...args: string[]): Promise<string> {
    const { stdout } = await execute(SCRIPT, [command, this.#folder, ...args], { timeout: COMMAND_TIMEOUT_MS })
    return stdout
  }
}

function splitOnce(line: string): [string, string] {
  const at = line.indexOf('=')
  return [line.slice(0, at), line.slice(at + 1)]
}
