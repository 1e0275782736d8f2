/**
 * Lists of checks as people write them, `figure operator limit, …`: cut into parts, and mistakes shown where they are. It knows
 * the shape of a check; which figures and limits there are its users know.
 */
import { FanfareError } from '../errors.ts'

export const operators = ['<', '<=', '>', '>=', '==', '!='] as const
export type Operator = (typeof operators)[number]

/** A mistake and where it is in the whole text, counted from 0. */
export class Mistake extends Error {
  readonly at: number
  constructor(at: number, message: string) {
    super(message)
    this.at = at
  }
}

/** One check, cut but not understood; `…At` are places in the whole text. */
export interface CheckParts {
  readonly name: string
  readonly nameAt: number
  readonly operator: Operator
  readonly limit: string
  readonly limitAt: number
}

/**
 * Reads every part of `text` with `read`, which throws `Mistake`. `source` is the setting's name, for complaints.
 * Throws FanfareError settings-invalid that shows all mistakes.
 */
export function parseCheckList<T>(source: string, text: string, read: (parts: CheckParts) => T): T[] {
  if (text.trim() === '') return []
  const mistakes: Mistake[] = []
  const checks: T[] = []
  let at = 0
  for (const part of text.split(',')) {
    try {
      checks.push(read(cut(part, at)))
    } catch (error) {
      if (!(error instanceof Mistake)) throw error
      mistakes.push(error)
    }
    at += part.length + 1
  }
  if (mistakes.length > 0) throw new FanfareError('settings-invalid', mistakes.map((mistake) => pointAt(source, text, mistake)).join('\n'))
  return checks
}

/** The sentence, the text, and a caret under the mistake. Line ends and tabs become spaces so that the caret stays in place. */
const pointAt = (source: string, text: string, { at, message }: Mistake): string =>
  `${source}, character ${at + 1}: ${message}\n  ${text.replaceAll(/\s/g, ' ')}\n  ${' '.repeat(at)}^`

const CHECK = /^(\s*)([^\s<>=!]*)(\s*)([<>=!]*)(\s*)(.*?)\s*$/s

/** `offset` is where `part` begins in the whole text. */
function cut(part: string, offset: number): CheckParts {
  const [, lead = '', name = '', gap = '', operator = '', gap2 = '', limit = ''] = CHECK.exec(part)!
  const nameAt = offset + lead.length
  const operatorAt = nameAt + name.length + gap.length
  if (name === '') throw new Mistake(nameAt, 'expected a figure, such as `p99` or `lost`')
  if (!isOperator(operator)) throw new Mistake(operatorAt, expectedOperator(operator))
  return { name, nameAt, operator, limit, limitAt: operatorAt + operator.length + gap2.length }
}

const isOperator = (text: string): text is Operator => (operators as readonly string[]).includes(text)

const expectedOperator = (found: string): string =>
  found === '='
    ? 'expected `==`; a single `=` is no comparison'
    : `expected one of ${operators.join(' ')}${found === '' ? '' : `, got \`${found}\``}`
