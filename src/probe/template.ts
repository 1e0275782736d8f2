/**
 * The body around a token: a template with placeholders, compiled once, rendered for every probe. It knows nothing of
 * settings or brokers; what is wrong with a template comes back as a sentence for whoever reads the settings.
 */
import { usToMs } from '../units.ts'
import { streamText, writeToken } from './codec.ts'
import { type Probe, RUN_CHARACTERS, STREAM_CHARACTERS, TOKEN_BYTES } from './probe.ts'

/** The seed tool's body and the token; `DEFAULT_PADDED_TEMPLATE` is taken when a size is asked for. */
export const DEFAULT_TEMPLATE = '{"cmd":"Test","time":{{sentMs}},"probe":"{{probe}}"}'
const DEFAULT_PADDED_TEMPLATE = '{"cmd":"Test","time":{{sentMs}},"probe":"{{probe}}","pad":"{{pad}}"}'

/** What may stand between double braces; `stream` is the index as tokens spell it, times are whole milliseconds. */
export const placeholders = ['probe', 'sequence', 'sentMs', 'intendedMs', 'stream', 'run', 'pad'] as const
type Placeholder = (typeof placeholders)[number]

export interface TemplateOptions {
  /** undefined: the default body. */
  readonly template: string | undefined
  /** The size every body gets, by `{{pad}}`; undefined: as long as it comes out. */
  readonly sizeBytes: number | undefined
  /** The highest sequence that will be rendered: it decides whether `sizeBytes` is enough. */
  readonly lastSequence: number
}

export interface BodyTemplate {
  /** The body of one probe, a buffer of its own. */
  render(probe: Probe): Buffer
}

/** Compiles a template, or says in a sentence what is wrong with it. */
export function compileTemplate(options: TemplateOptions): BodyTemplate | { readonly problem: string } {
  const { sizeBytes, lastSequence } = options
  const template = options.template ?? (sizeBytes === undefined ? DEFAULT_TEMPLATE : DEFAULT_PADDED_TEMPLATE)
  // Odd parts are the names between the braces.
  const parts = template.split(/\{\{(\w*)\}\}/)
  const names = parts.filter((_, index) => index % 2 === 1)
  const problem = namesProblem(names, sizeBytes)
  if (problem !== undefined) return { problem }

  const longestBytes = Buffer.byteLength(expand(parts, longestValues(lastSequence)))
  if (sizeBytes !== undefined && longestBytes > sizeBytes) {
    return { problem: `Expected a body size of at least ${longestBytes} bytes, which the template needs without padding, got ${sizeBytes}` }
  }
  return { render: (probe) => Buffer.from(render(parts, probe, sizeBytes)) }
}

function namesProblem(names: string[], sizeBytes: number | undefined): string | undefined {
  const unknown = names.find((name) => !(placeholders as readonly string[]).includes(name))
  if (unknown !== undefined) {
    return `Expected placeholders among ${placeholders.map((name) => `{{${name}}}`).join(', ')}, got {{${unknown}}}`
  }
  const probes = count(names, 'probe')
  // Two copies of a token in one body would be booked as a duplicate at every client.
  if (probes !== 1) return `Expected {{probe}} exactly once in the template, got it ${probes} times`
  const pads = count(names, 'pad')
  if (sizeBytes !== undefined && pads !== 1) {
    return `Expected {{pad}} exactly once in the template, because a body size of ${sizeBytes} bytes is asked for, got it ${pads} times`
  }
  return undefined
}

const count = (names: string[], wanted: Placeholder): number => names.filter((name) => name === wanted).length

function render(parts: readonly string[], probe: Probe, sizeBytes: number | undefined): string {
  const values = valuesOf(probe)
  if (sizeBytes === undefined) return expand(parts, values)
  const padBytes = sizeBytes - Buffer.byteLength(expand(parts, values))
  return expand(parts, { ...values, pad: PAD_CHARACTER.repeat(padBytes) })
}

/** Not escaped by any encoding, and no start of a token. */
const PAD_CHARACTER = 'x'

type Values = Readonly<Record<Placeholder, string>>

const valuesOf = (probe: Probe): Values => ({
  probe: writeToken(probe),
  sequence: String(probe.sequence),
  sentMs: wholeMs(probe.sentUs),
  intendedMs: wholeMs(probe.intendedUs),
  stream: streamText(probe.stream),
  run: probe.run,
  pad: '',
})

const wholeMs = (us: number): string => String(Math.floor(usToMs(us)))

/** Values as long as they will ever be; milliseconds since the epoch have 13 digits until the year 2286. */
const longestValues = (lastSequence: number): Values => ({
  probe: 'x'.repeat(TOKEN_BYTES),
  sequence: String(lastSequence),
  sentMs: 'x'.repeat(EPOCH_MS_DIGITS),
  intendedMs: 'x'.repeat(EPOCH_MS_DIGITS),
  stream: 'x'.repeat(STREAM_CHARACTERS),
  run: 'x'.repeat(RUN_CHARACTERS),
  pad: '',
})

const EPOCH_MS_DIGITS = 13

function expand(parts: readonly string[], values: Values): string {
  let body = ''
  for (let index = 0; index < parts.length; index++) {
    body += index % 2 === 0 ? parts[index] : values[parts[index] as Placeholder]
  }
  return body
}
