/**
 * How fast probes enter a real RabbitMQ: confirmed probes a second to a bound queue, as the publisher's thread does it with the default
 * settings. Needs AMQP_ADDR or TEST_AMQP_ADDR. PROBES (default 200,000) says how many.
 */
import { connect } from 'amqplib'
import { loadSettings } from '../src/config/load.ts'
import { makePlan } from '../src/config/plan.ts'
import { anchorRunClock } from '../src/measure/wall-clock.ts'
import { ThreadPublisher } from '../src/run/thread-publisher.ts'
import { usToSeconds } from '../src/units.ts'

const EXCHANGE = 'fanfare.bench'
/** The queue drops what nobody consumes, so that the broker's memory is not what is measured. */
const QUEUE_LENGTH = 1_000

const url = process.env.AMQP_ADDR ?? process.env.TEST_AMQP_ADDR
if (url === undefined) {
  console.log('publish: skipped, because neither AMQP_ADDR nor TEST_AMQP_ADDR names a RabbitMQ')
  process.exit(0)
}
const probes = process.env.PROBES ?? '200000'

const connection = await connect(url)
const channel = await connection.createChannel()
await channel.assertExchange(EXCHANGE, 'topic', { durable: false, autoDelete: true })
const { queue } = await channel.assertQueue('', { exclusive: true, maxLength: QUEUE_LENGTH })
await channel.bindQueue(queue, EXCHANGE, '#')

const env = { AMQP_ADDR: url, AMQP_EXCHANGE: EXCHANGE, MSG_COUNT: probes, MSG_DELAY: '0' }
const plan = makePlan(loadSettings({ env }).settings, anchorRunClock())
const publisher = new ThreadPublisher(plan, { notice: console.error })
const never = new AbortController().signal
try {
  await publisher.open(never)
  const cpuBefore = process.cpuUsage()
  const outcome = await publisher.publish(never)
  const cpu = process.cpuUsage(cpuBefore)
  const { published, confirmed, returned, nacked, unknown, startedUs, endedUs, confirmLatencyUs } = publisher.snapshot()
  const seconds = usToSeconds((endedUs ?? 0) - (startedUs ?? 0))
  const cpuUs = (cpu.user + cpu.system) / published
  console.log(`publish: ${outcome}, ${Math.round(confirmed / seconds)} confirmed probes/s (window ${plan.settings.confirmWindow})`)
  console.log(`publish: published ${published}, confirmed ${confirmed}, returned ${returned}, nacked ${nacked}, unknown ${unknown}`)
  console.log(`publish: ${cpuUs.toFixed(1)} µs of CPU a probe, mean confirm ${((confirmLatencyUs.mean ?? 0) / 1_000).toFixed(1)} ms`)
} finally {
  await publisher.close()
  await connection.close()
}
