// Runs the benchmarks: `node scripts/bench.mjs [NAME…]`, all of bench/*.ts without a name. Each is a process of its own, one after the
// other, after a line about the machine: figures mean little without it, and nothing on a busy one.
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { arch, availableParallelism, cpus, loadavg, release, totalmem, type } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const BYTES_PER_GB = 1024 ** 3
const root = fileURLToPath(new URL('..', import.meta.url))
const names = process.argv.slice(2)
const benches = readdirSync(join(root, 'bench'))
  .filter((file) => file.endsWith('.ts') && (names.length === 0 || names.includes(file.slice(0, -'.ts'.length))))
  .sort()
if (benches.length === 0) {
  console.error(`bench: nothing in bench/ is called ${names.join(' or ')}`)
  process.exit(2)
}

const load = loadavg().map((value) => value.toFixed(2))
console.log(`machine: ${cpus()[0]?.model ?? arch()}, ${availableParallelism()} cores, ${(totalmem() / BYTES_PER_GB).toFixed(0)} GB`)
console.log(`system: ${type()} ${release()}, Node ${process.version}`)
console.log(`load: ${load.join(' ')} (1, 5, 15 minutes)`)

let failures = 0
for (const bench of benches) {
  console.log(`\n${bench}`)
  // Node 22 and newer strip types themselves; 20 needs tsx.
  const loader = Number(process.versions.node.split('.')[0]) < 22 ? ['--import', 'tsx'] : []
  const { status } = spawnSync(process.execPath, [...loader, join('bench', bench)], { cwd: root, stdio: 'inherit' })
  if (status !== 0) failures += 1
}
process.exit(failures === 0 ? 0 : 1)
