/**
 * What one message costs the embedded broker, published, confirmed and delivered once: the rate amqplib reaches with both of its ends
 * in this process, and the CPU time of the broker, which runs in a process of its own. The cheapest of several rounds is told, since
 * everything else on the machine only adds.
 */
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { type ChannelModel, connect } from 'amqplib'
import { startBroker } from '../src/embedded/broker.ts'
import { MS_PER_SECOND } from '../src/units.ts'

const MESSAGES = 100_000
const ROUNDS = 3
/** As fanfare's own publisher does. */
const CONFIRM_WINDOW = 1_000
const BODY = Buffer.alloc(130, 'x')

if (process.argv[2] === 'broker') await beBroker()
else await measure()

/** The child: a broker that tells its CPU time when asked, and ends with its parent. */
async function beBroker(): Promise<void> {
  const broker = await startBroker()
  process.on('disconnect', () => process.exit())
  process.on('message', () => {
    const { user, system } = process.cpuUsage()
    process.send!(user + system)
  })
  process.send!(broker.url)
}

async function measure(): Promise<void> {
  const child = fork(fileURLToPath(import.meta.url), ['broker'])
  const reply = <T>() => new Promise<T>((resolve) => child.once('message', (message) => resolve(message as T)))
  const cpuUs = () => {
    const answer = reply<number>()
    child.send('cpu')
    return answer
  }
  const url = await reply<string>()
  const [publisher, consumer] = [await connect(url, { noDelay: true }), await connect(url, { noDelay: true })]
  let best = { ratePerSecond: 0, brokerCpuUs: Number.POSITIVE_INFINITY }
  for (let round = 0; round < ROUNDS; round++) {
    const [startedMs, cpuBeforeUs] = [performance.now(), await cpuUs()]
    await passMessages(publisher, consumer)
    const brokerCpuUs = ((await cpuUs()) - cpuBeforeUs) / MESSAGES
    const ratePerSecond = (MESSAGES * MS_PER_SECOND) / (performance.now() - startedMs)
    if (brokerCpuUs < best.brokerCpuUs) best = { ratePerSecond, brokerCpuUs }
  }
  console.log(`${Math.round(best.ratePerSecond)} messages/s published, confirmed and delivered by amqplib`)
  console.log(`${best.brokerCpuUs.toFixed(1)} us of the broker's CPU for each`)
  await Promise.all([publisher.close(), consumer.close()])
  child.disconnect()
}

async function passMessages(publisher: ChannelModel, consumer: ChannelModel): Promise<void> {
  const [out, back] = [await publisher.createConfirmChannel(), await consumer.createChannel()]
  const { queue } = await back.assertQueue('', { exclusive: true })
  await back.bindQueue(queue, 'amq.topic', 'public.#')
  let delivered = 0
  const allDelivered = new Promise<void>((resolve) => {
    void back.consume(queue, () => void (++delivered === MESSAGES && resolve()), { noAck: true })
  })
  let confirmed = 0
  let resume = (): void => undefined
  for (let sent = 0; sent < MESSAGES; sent++) {
    while (sent - confirmed >= CONFIRM_WINDOW) await new Promise<void>((resolve) => (resume = resolve))
    out.publish('amq.topic', 'public.k3v9q2x1', BODY, { messageId: String(sent), mandatory: true }, () => {
      confirmed++
      resume()
    })
  }
  await Promise.all([out.waitForConfirms(), allDelivered])
  await Promise.all([out.close(), back.close()])
}
