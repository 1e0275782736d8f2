import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readRequestTarget } from '../../../src/target/request-target.ts'
import { route } from '../../../src/target/routing.ts'
import { streamKind, subscribe, topicOf } from '../../../src/target/subscription.ts'

test('routing keys reach the streams that rango tells', () => {
  const rows: [routingKey: string, topic: string | undefined, stream?: string][] = [
    ['public.7f3a', 'public.7f3a', 'public.7f3a'],
    ['global.tickers', 'global.tickers', 'global.tickers'],
    ['public.eth.trades', 'eth.trades', 'eth.trades'], // not public.eth.trades: that name would be prefixed
    ['global.eth.trades', 'eth.trades', 'eth.trades'],
    ['private.ID1.order', 'private.ID1.order', 'order'],
    ['admin.eth.risk', 'admin.eth.risk', 'eth.risk'], // the envelope loses the prefix
    ['private.order', undefined],
    ['market.eth', undefined],
    ['single', undefined],
    ['a.b.c.d', undefined],
    ['', undefined],
  ]
  for (const [routingKey, topic, stream = ''] of rows) {
    assert.deepEqual(route(routingKey), topic === undefined ? undefined : { topic, stream }, routingKey)
  }
})

test('streams are read from the raw request line, undecoded', () => {
  const rows: [raw: string, path: string, streams: string[]][] = [
    ['/', '/', []],
    ['/public?stream=a,b&stream=c', '/public', ['a', 'b', 'c']],
    ['/?stream=a%2Cb', '/', ['a%2Cb']],
    ['/?token=x&stream=a', '/', ['a']],
    ['/?stream=a?stream=b', '/', []], // more than one question mark
    ['/?stream=a=b', '/', []],
    ['/?stream=,a,,', '/', ['a']],
    ['?', '', []],
  ]
  for (const [raw, path, streams] of rows) assert.deepEqual(readRequestTarget(raw), { path, streams }, raw)
})

test('the dots in a name decide who may subscribe', () => {
  assert.deepEqual(['order', 'a.b', 'a.b.c', 'a.b.c.d'].map(streamKind), ['private', 'public', 'prefixed', 'unknown'])
  assert.deepEqual(subscribe(['x.y'], ['order', 'a.b', 'x.y', 'p.q.r', 'a.b.c.d'], undefined), {
    streams: ['x.y', 'a.b'],
    refused: ['p.q.r'],
  })
  assert.deepEqual(subscribe([], ['order'], 'ID1'), { streams: ['order'], refused: [] })
  assert.notEqual(topicOf('order', 'ID1'), topicOf('order', 'ID2'))
})
