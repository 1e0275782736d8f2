/**
 * Habits and deeds from JSON. All problems are found at once and each is a sentence that names the habit, the rule and the
 * value; an unknown field is a problem too, since a habit that silently does less than it was asked for spoils a test.
 */
import { FanfareError } from '../../errors.ts'
import type { Deed, Habit } from './habit.ts'

interface Check {
  readonly rule: string
  holds(value: unknown): boolean
}

const isWhole = (value: unknown): value is number => Number.isSafeInteger(value)
const atLeast = (min: number, max = Number.MAX_SAFE_INTEGER): Check => ({
  rule: max === Number.MAX_SAFE_INTEGER ? `a whole number from ${min}` : `a whole number from ${min} to ${max}`,
  holds: (value) => isWhole(value) && value >= min && value <= max,
})
const oneOf = (...names: string[]): Check => ({ rule: `one of ${names.join(', ')}`, holds: (value) => names.includes(value as string) })
const share: Check = { rule: 'a number from 0 to 1', holds: (value) => typeof value === 'number' && value >= 0 && value <= 1 }
const numbers: Check = { rule: 'a list of whole numbers from 0', holds: (value) => Array.isArray(value) && value.every(atLeast(0).holds) }
const text: Check = { rule: 'a text', holds: (value) => typeof value === 'string' }
const flag: Check = { rule: 'true or false', holds: (value) => typeof value === 'boolean' }

const count = atLeast(0)
const positive = atLeast(1)
const ms = atLeast(0, 2 ** 31 - 1) // the longest timer there is
const closeCode = atLeast(1000, 4999)
const manner = oneOf('close', 'cut', 'reset')
const payloadBytes = atLeast(1, 2 ** 28)
const plainIntruders = [
  'text',
  'binary',
  'invalid-utf8',
  'ping',
  'masked',
  'reserved-bit',
  'bad-opcode',
  'stray-continuation',
  'huge',
  'foreign',
]

/** Fields by kind; a name that ends in `?` may be absent. */
type Shape = Readonly<Record<string, Check>>

const whichClients: Shape = { 'clients?': numbers, 'share?': share, 'seed?': count, 'forMs?': ms }
const where: Shape = { ...whichClients, 'sequences?': numbers, 'probeStreams?': numbers, 'probability?': share }
const restart: Shape = { 'downMs?': ms, 'how?': manner }
const end: Shape = { how: manner, 'code?': closeCode, 'reason?': text }

const habitShapes: Readonly<Record<Habit['kind'], Shape>> = {
  drop: where,
  repeat: { ...where, 'copies?': positive },
  swap: { ...whichClients, 'probeStreams?': numbers, first: count, second: count },
  delay: { ...where, ms },
  fragment: { ...where, 'pieces?': atLeast(2), 'hasPingBetween?': flag },
  batch: { ...where, size: atLeast(2), 'waitMs?': ms },
  insert: { ...where, what: oneOf(...plainIntruders, 'misroute'), 'bytes?': payloadBytes, 'stream?': text, 'probeStream?': count },
  end: { ...where, ...end },
  silent: whichClients,
  status: { ...whichClients, 'status?': atLeast(200, 599) },
  'bad-accept': whichClients,
  'accept-rate': { perSecond: positive },
  'never-ack': whichClients,
  'late-ack': { ...whichClients, ms },
  'demand-pong': { ...whichClients, everyMs: positive, withinMs: positive },
  'slow-cut': { ...whichClients, depth: count },
  freeze: { ms, atSequence: count },
  restart: { ...restart, atSequence: count },
}

const deedShapes: Readonly<Record<Deed['kind'], Shape>> = {
  freeze: { ms },
  restart,
  end: { ...whichClients, ...end },
  insert: { ...whichClients, what: oneOf(...plainIntruders), 'bytes?': payloadBytes },
}

/** Throws `settings-invalid` with every problem, each on a line of its own. */
export function parseHabits(json: unknown): Habit[] {
  if (!Array.isArray(json)) throw new FanfareError('settings-invalid', `Expected habits to be a list, got ${JSON.stringify(json)}`)
  refuse(json.flatMap((item, index) => problemsOf(`habit ${index}`, item, habitShapes)))
  return json as Habit[]
}

/** Throws `settings-invalid` like `parseHabits`. */
export function parseDeed(json: unknown): Deed {
  refuse(problemsOf('deed', json, deedShapes))
  return json as Deed
}

function refuse(problems: readonly string[]): void {
  if (problems.length > 0) throw new FanfareError('settings-invalid', problems.join('\n'))
}

function problemsOf(name: string, item: unknown, shapes: Readonly<Record<string, Shape>>): string[] {
  const fields = (typeof item === 'object' && item !== null ? item : {}) as Record<string, unknown>
  const shape = typeof fields.kind === 'string' && Object.hasOwn(shapes, fields.kind) ? shapes[fields.kind] : undefined
  if (shape === undefined)
    return [`Expected the kind of ${name} to be one of ${Object.keys(shapes).join(', ')}, got ${JSON.stringify(item)}`]
  const subject = (field: string) => `\`${field}\` of ${name} (${fields.kind})`
  const problems: string[] = []
  for (const field of Object.keys(fields)) {
    if (field !== 'kind' && !(field in shape) && !(`${field}?` in shape))
      problems.push(`Expected no ${subject(field)}: there is no such field`)
  }
  for (const [key, check] of Object.entries(shape)) {
    const field = key.replace('?', '')
    const value = fields[field]
    if (value === undefined && key.endsWith('?')) continue
    if (!check.holds(value)) problems.push(`Expected ${subject(field)} to be ${check.rule}, got ${JSON.stringify(value)}`)
  }
  if (fields.kind === 'swap' && problems.length === 0 && Number(fields.first) >= Number(fields.second)) {
    problems.push(`Expected ${subject('first')} to be below \`second\` (${fields.second}), got ${fields.first}`)
  }
  return problems
}
