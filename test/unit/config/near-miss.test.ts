import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nearestName } from '../../../src/config/near-miss.ts'
import { settingsTable } from '../../../src/config/settings.ts'

const variables = Object.values(settingsTable).map((row) => row.env)

test('a name that was meant to be a setting finds it', () => {
  const meant = {
    WS_POOLSIZE: 'WS_POOL_SIZE', // an underscore too few
    WS_POOL_SZIE: 'WS_POOL_SIZE', // two letters swapped
    ws_pool_size: 'WS_POOL_SIZE', // lower case
    FANFARE_WS_POOL_SIZE: 'WS_POOL_SIZE', // a prefix, as other tools have
    MSG_DELAY_MS: 'MSG_DELAY', // a unit too many
    DURATION_SECONDS: 'DURATION',
    CONNECT_TIMEOUT: 'CONNECT_TIMEOUT_MS', // a unit too few
    AMQP_ADR: 'AMQP_ADDR',
    STREAM_PER_CLIENT: 'STREAMS_PER_CLIENT',
    REPLICA: 'REPLICAS',
    RUNID: 'RUN_ID',
    LOGLEVEL: 'LOG_LEVEL',
  }
  for (const [name, nearest] of Object.entries(meant)) assert.equal(nearestName(name, variables), nearest, name)
})

test('names of other programs are left alone', () => {
  const others = [
    'PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION',
    'DATE', // one letter from RATE
    'QUIET', // QUIET_MS without its unit, but anybody's word
    'OMP_NUM_THREADS',
    'AMQP_URL',
    'TEST_AMQP_ADDR',
    'SERVICE_PORT',
    'HOSTNAME',
    'PATH',
    'NODE_ENV',
    'RABBITMQ_DEFAULT_USER',
  ]
  for (const name of others) assert.equal(nearestName(name, variables), undefined, name)
})

test('a setting itself is no near miss', () => {
  for (const name of variables) assert.equal(nearestName(name, variables), undefined, name)
})
