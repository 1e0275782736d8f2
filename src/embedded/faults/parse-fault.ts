/**
 * A fault from JSON. All problems are found at once, each a sentence that names the field, the rule and the value; an unknown
 * field is a problem too, since a fault that silently does less than it was asked for spoils a test.
 */
import { FanfareError } from '../../errors.ts'
import { isReplyCode } from '../amqp-error.ts'
import { methodTable } from '../codec/methods.ts'
import type { Fault, StandingFault } from './fault.ts'

interface Check {
  readonly rule: string
  holds(value: unknown): boolean
}

/** Fields by name; a name that ends in `?` may be absent. */
type Shape = Readonly<Record<string, Check>>

/** The longest timer there is. */
const MAX_DELAY_MS = 2 ** 31 - 1

const isWhole = (value: unknown): value is number => Number.isSafeInteger(value)
const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)
const oneOf = (names: readonly string[]): Check => ({
  rule: `one of ${names.join(', ')}`,
  holds: (value) => names.includes(value as string),
})

const count: Check = { rule: 'a whole number from 1', holds: (value) => isWhole(value) && value >= 1 }
const delay: Check = {
  rule: `milliseconds from 0 to ${MAX_DELAY_MS}`,
  holds: (value) => isWhole(value) && value >= 0 && value <= MAX_DELAY_MS,
}
const text: Check = { rule: 'a text of at most 255 bytes', holds: (value) => typeof value === 'string' && Buffer.byteLength(value) <= 255 }
const flag: Check = { rule: 'true or false', holds: (value) => typeof value === 'boolean' }
const code: Check = { rule: 'a reply code of AMQP 0-9-1', holds: (value) => isWhole(value) && isReplyCode(value) }
const how = oneOf(['reset', 'end'])
const method: Check = { rule: 'a method such as basic.publish', holds: (value) => Object.hasOwn(methodTable, value as string) }
const selector: Check = {
  rule: 'an object with connection, name or role (publisher, consumer)',
  holds: (value) => isObject(value) && problemsOf('selector', value, selectorShape).length === 0,
}

const selectorShape: Shape = { 'connection?': count, 'name?': text, 'role?': oneOf(['publisher', 'consumer']) }
const share: Shape = { 'next?': count, 'every?': count }
const refusal: Shape = { code, 'text?': text }

const standingShapes: Readonly<Record<StandingFault['kind'], Shape>> = {
  alarm: { 'reason?': text },
  'confirm-delay': { delayMs: delay },
  nack: { ...share, 'isRouted?': flag },
  'confirm-drop': share,
  'refuse-method': { ...share, ...refusal, method },
  'refuse-connections': { 'next?': count, 'how?': how },
  'withhold-deliveries': { 'queue?': text },
}

const shapes: Readonly<Record<Fault['kind'], Shape>> = {
  ...standingShapes,
  clear: { 'of?': oneOf(Object.keys(standingShapes)) },
  'close-channels': { ...refusal, 'on?': selector },
  'close-connections': { ...refusal, 'on?': selector },
  'drop-sockets': { how, 'on?': selector },
  'delete-exchange': { exchange: text },
  'delete-queue': { queue: text },
}

/** Throws `settings-invalid` with every problem, each on a line of its own. */
export function parseFault(json: unknown): Fault {
  const shape =
    isObject(json) && typeof json.kind === 'string' && Object.hasOwn(shapes, json.kind) ? shapes[json.kind as Fault['kind']] : undefined
  if (!isObject(json) || shape === undefined) {
    throw new FanfareError(
      'settings-invalid',
      `Expected a fault with a kind of ${Object.keys(shapes).join(', ')}, got ${JSON.stringify(json)}`,
    )
  }
  const { kind, ...fields } = json
  const problems = problemsOf(String(kind), fields, shape)
  const wantsShare = 'next?' in shape && 'every?' in shape
  if (wantsShare && (fields.next === undefined) === (fields.every === undefined)) {
    problems.push(`Expected either \`next\` or \`every\` of ${kind}`)
  }
  if (problems.length > 0) throw new FanfareError('settings-invalid', problems.join('\n'))
  return json as unknown as Fault
}

function problemsOf(name: string, fields: Readonly<Record<string, unknown>>, shape: Shape): string[] {
  const problems = Object.keys(fields)
    .filter((field) => !(field in shape) && !(`${field}?` in shape))
    .map((field) => `Expected no \`${field}\` of ${name}: there is no such field`)
  for (const [key, check] of Object.entries(shape)) {
    const field = key.replace('?', '')
    const value = fields[field]
    if (value === undefined && key.endsWith('?')) continue
    if (!check.holds(value)) problems.push(`Expected \`${field}\` of ${name} to be ${check.rule}, got ${JSON.stringify(value)}`)
  }
  return problems
}
