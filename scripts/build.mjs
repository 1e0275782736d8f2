// Compiles src to dist. Nothing is built when dist is newer than every source, so `npm start` and `npm test` stay quick.
import { spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const stamp = join(root, 'dist', '.built')
const sources = readdirSync(join(root, 'src'), { recursive: true })
const inputs = ['package.json', 'tsconfig.json', ...sources.map((name) => join('src', name))]
const newestInputMs = Math.max(...inputs.map((name) => statSync(join(root, name)).mtimeMs))

if (existsSync(stamp) && statSync(stamp).mtimeMs > newestInputMs) process.exit(0)
rmSync(join(root, 'dist'), { recursive: true, force: true })
const compiler = spawnSync(process.execPath, [join(root, 'node_modules', 'typescript', 'bin', 'tsc')], { cwd: root, stdio: 'inherit' })
if (compiler.status !== 0) process.exit(compiler.status ?? 1)
// Files that pages are made of go along as they are.
for (const name of sources.filter((name) => /\.(?:css|browser\.js)$/.test(name)))
  copyFileSync(join(root, 'src', name), join(root, 'dist', name))
chmodSync(join(root, 'dist', 'main.js'), 0o755)
writeFileSync(stamp, '')
