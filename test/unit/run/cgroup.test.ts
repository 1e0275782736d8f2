import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readCgroupLimits } from '../../../src/run/cgroup.ts'

const limitsOf = (files: Record<string, string>) => readCgroupLimits((path) => files[path])

test('version 2 in a container: the root is the container’s own group', () => {
  const limits = limitsOf({
    '/proc/self/cgroup': '0::/\n',
    '/sys/fs/cgroup/memory.max': '1073741824\n',
    '/sys/fs/cgroup/memory.current': '300000000\n',
    '/sys/fs/cgroup/memory.stat': 'anon 1\ninactive_file 100000000\nactive_file 5\n',
    '/sys/fs/cgroup/cpu.max': '250000 100000\n',
  })
  assert.deepEqual(limits, { memoryLimitBytes: 1_073_741_824, memoryUsedBytes: 200_000_000, cpuQuota: 2.5 })
})

test('version 2 on a host: the tightest limit on the way up counts', () => {
  const limits = limitsOf({
    '/proc/self/cgroup': '0::/user.slice/app.service\n',
    '/sys/fs/cgroup/user.slice/app.service/memory.max': 'max\n',
    '/sys/fs/cgroup/user.slice/app.service/cpu.max': '400000 100000\n',
    '/sys/fs/cgroup/user.slice/memory.max': '1000\n',
    '/sys/fs/cgroup/user.slice/memory.current': '10\n',
    '/sys/fs/cgroup/user.slice/cpu.max': '150000 100000\n',
  })
  assert.deepEqual(limits, { memoryLimitBytes: 1_000, memoryUsedBytes: 10, cpuQuota: 1.5 })
})

test('the tightest group is the one with the least left, not the one with the smallest limit', () => {
  const limits = limitsOf({
    '/proc/self/cgroup': '0::/a\n',
    '/sys/fs/cgroup/a/memory.max': '1000\n',
    '/sys/fs/cgroup/a/memory.current': '100\n',
    '/sys/fs/cgroup/memory.max': '2000\n',
    '/sys/fs/cgroup/memory.current': '1900\n',
  })
  assert.deepEqual([limits.memoryLimitBytes, limits.memoryUsedBytes], [2_000, 1_900])
})

test('version 1: hierarchies of their own, and its spellings of "no limit"', () => {
  const limited = limitsOf({
    '/proc/self/cgroup': '5:cpu,cpuacct:/docker/1f\n4:memory:/docker/1f\n0::/\n',
    '/sys/fs/cgroup/memory/docker/1f/memory.limit_in_bytes': '536870912\n',
    '/sys/fs/cgroup/memory/docker/1f/memory.usage_in_bytes': '1000\n',
    '/sys/fs/cgroup/memory/memory.limit_in_bytes': '9223372036854771712\n',
    '/sys/fs/cgroup/cpu/docker/1f/cpu.cfs_quota_us': '50000\n',
    '/sys/fs/cgroup/cpu/docker/1f/cpu.cfs_period_us': '100000\n',
    '/sys/fs/cgroup/cpu/cpu.cfs_quota_us': '-1\n',
    '/sys/fs/cgroup/cpu/cpu.cfs_period_us': '100000\n',
  })
  assert.deepEqual(limited, { memoryLimitBytes: 536_870_912, memoryUsedBytes: 1_000, cpuQuota: 0.5 })
})

test('where nothing is visible, nothing is limited', () => {
  assert.deepEqual(limitsOf({}), { memoryLimitBytes: undefined, memoryUsedBytes: undefined, cpuQuota: undefined })
})
