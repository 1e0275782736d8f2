import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type ResolveName, TargetAddresses } from '../../../../src/clients/dialing/target-addresses.ts'

const both = [
  { address: '::1', family: 6 },
  { address: '127.0.0.1', family: 4 },
]
const resolving = (resolveName: ResolveName, ...names: string[]): Promise<TargetAddresses> =>
  TargetAddresses.resolve(names, 1_000, resolveName)

describe('the addresses of targets', () => {
  it('are the first of each name until nobody takes a connection there', async () => {
    const addresses = await resolving(async () => both, 'localhost')
    assert.equal(addresses.current(0, undefined), '::1')
    assert.equal(addresses.failed(0, '::1'), true)
    assert.equal(addresses.current(0, undefined), '127.0.0.1')
    assert.equal(addresses.failed(0, '127.0.0.1'), false)
    assert.equal(addresses.current(0, undefined), '127.0.0.1')
  })

  it('let dials that began earlier try the next one too, and move on only once', async () => {
    const addresses = await resolving(async () => [...both, { address: '127.0.0.9', family: 4 }], 'localhost')
    assert.equal(addresses.failed(0, '::1'), true)
    assert.equal(addresses.failed(0, '::1'), true)
    assert.equal(addresses.current(0, undefined), '127.0.0.1')
  })

  it('stay once one has worked', async () => {
    const addresses = await resolving(async () => both, 'localhost')
    addresses.worked(0)
    assert.equal(addresses.failed(0, '::1'), false)
    assert.equal(addresses.current(0, undefined), '::1')
  })

  it('are of the family of the source', async () => {
    const addresses = await resolving(async () => both, 'localhost')
    assert.equal(addresses.current(0, 4), '127.0.0.1')
    assert.equal((await resolving(async () => [both[0]!], 'six')).current(0, 4), undefined)
  })

  it('need no lookup when written as addresses', async () => {
    const never: ResolveName = async (name) => assert.fail(`looked up ${name}`)
    const addresses = await resolving(never, '10.0.0.1', '::1')
    assert.deepEqual([addresses.current(0, undefined), addresses.current(1, undefined)], ['10.0.0.1', '::1'])
  })

  it('are missing with a reason when a name is unknown or nobody answers', async () => {
    const unknown = await resolving(async () => {
      throw Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' })
    }, 'nowhere')
    assert.equal(unknown.current(0, undefined), undefined)
    assert.equal(unknown.failure(0), 'nowhere cannot be resolved (ENOTFOUND)')

    const silent = await TargetAddresses.resolve(['nowhere'], 1, () => new Promise(() => undefined))
    assert.equal(silent.failure(0), 'nowhere cannot be resolved (no answer within 1 ms)')
  })
})
