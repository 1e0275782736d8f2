import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTarget } from '../../src/target/target.ts'
import { fanfare } from '../fixtures/fanfare.ts'

const AMQP_ADDR = process.env.TEST_AMQP_ADDR ?? ''

test('500 clients and 1,000 probes as fast as RabbitMQ confirms them: every delivery is booked once', async () => {
  const exchange = `fanfare.test.${process.pid}`
  const target = await startTarget({ amqp: AMQP_ADDR, exchange })
  assert.ok(await target.whenConsuming(5_000))
  const settings = { AMQP_ADDR, WS_ADDR: target.url, AMQP_EXCHANGE: exchange, WS_POOL_SIZE: '500', MSG_COUNT: '1000', MSG_DELAY: '0' }
  const { report, stderr } = await fanfare(['run'], settings)
  await target.close()
  assert.ok(report, stderr)
  assert.equal(report.pacing, 'closed')
  assert.equal(report.deliveries.expected, 500_000)
  assert.equal(report.deliveries.delivered, 500_000)
  assert.equal(report.deliveries.duplicated, 0)
  assert.equal(report.deliveries.outOfOrder, 0)
  assert.equal(report.publish?.returned, 0)
  assert.equal(report.stopReason, 'complete')
})
