// Runs test folders with Node's own runner: `node scripts/test.mjs [--require-broker] FOLDER…`. Extra arguments after `--`
// go to the runner (`-- --test-name-pattern=ledger`). Broker tests need a RabbitMQ at TEST_AMQP_ADDR.
import { spawn } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

// The runner's own default leaves one core idle, but most of a test's time is waiting for processes and sockets.
const TEST_FILES_AT_A_TIME = Math.max(2, availableParallelism())
const root = fileURLToPath(new URL('..', import.meta.url))
const args = process.argv.slice(2)
const rest = args.includes('--') ? args.slice(args.indexOf('--') + 1) : []
const own = args.includes('--') ? args.slice(0, args.indexOf('--')) : args
const hasBroker = Boolean(process.env.TEST_AMQP_ADDR)
const folders = own.filter((name) => !name.startsWith('--') && (name !== 'broker' || hasBroker))

if (own.includes('--require-broker') && !hasBroker) {
  console.error('test:broker needs a RabbitMQ: set TEST_AMQP_ADDR, for example amqp://guest:guest@127.0.0.1:5672')
  process.exit(2)
}
const skippedBroker = own.includes('broker') && !hasBroker

const files = folders
  .flatMap((folder) => {
    const path = join(root, 'test', folder)
    return existsSync(path) ? readdirSync(path, { recursive: true }).map((name) => join('test', folder, name)) : []
  })
  .filter((name) => name.endsWith('.test.ts'))
  .sort()

// Node 22 and newer strip types themselves; 20 needs tsx.
const loader = Number(process.versions.node.split('.')[0]) < 22 ? ['--import', 'tsx'] : []
const runner = spawn(
  process.execPath,
  [...loader, '--test', '--test-concurrency', String(TEST_FILES_AT_A_TIME), '--test-reporter', 'spec', ...rest, ...files],
  { cwd: root, stdio: 'inherit' },
)
runner.on('exit', (code, signal) => {
  if (skippedBroker) console.log('skipped: the broker tests, because TEST_AMQP_ADDR names no RabbitMQ')
  process.exit(signal === null ? (code ?? 1) : 1)
})
