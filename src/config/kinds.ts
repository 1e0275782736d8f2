/**
 * Kinds of setting values: how text becomes a value, the rule it must keep in words, and what may be shown of it. A kind
 * knows one value; rules about several settings are in `cross-checks.ts`. Nothing is ever truncated or guessed.
 */
import { z } from 'zod'
import { compressAddresses, expandAddress } from './addresses.ts'
import { isEndpoint, redactEndpoint, splitEndpoints } from './endpoints.ts'
import { HIDDEN, redactHeader } from './redact.ts'

export interface Kind<T> {
  /** `ms`, `clients/s`, …; empty when the value has none. */
  readonly unit: string
  /** What the value looks like in a usage line, without the brackets: `number`, `url,…`. */
  readonly placeholder: string
  /** The rule in words, as complaints and help print it: "an integer from 1 to 9". */
  readonly rule: string
  /** The value, or undefined when the text breaks the rule. */
  parse(text: string): T | undefined
  /** The text that parses to this value. May hold secrets. */
  format(value: T): string
  /** `value` as text with secrets replaced, for help, reports and logs. */
  redact(value: T): string
  /** Raw text with secrets replaced, for complaints about text that does not parse. */
  redactText(text: string): string
}

/** Whole numbers in plain decimal digits: no sign, exponent, separator or fraction. */
export const count = (min: number, max: number, unit = ''): Kind<number> =>
  kindOf({
    unit,
    placeholder: unit === 'ms' ? 'ms' : 'number',
    rule: `an integer from ${min} to ${max}${unit === '' ? '' : ` (${unit})`}`,
    schema: z.string().trim().regex(/^\d+$/).transform(Number).pipe(z.int().min(min).max(max)),
  })

/** Numbers in plain decimal digits, with a fraction or without. */
export const number = (min: number, max: number, unit: string): Kind<number> =>
  kindOf({
    unit,
    placeholder: unit === 'ms' || unit === 's' ? unit : 'number',
    rule: `a number from ${min} to ${max} (${unit})`,
    schema: z
      .string()
      .trim()
      .regex(/^\d+(\.\d+)?$/)
      .transform(Number)
      .pipe(z.number().min(min).max(max)),
  })

/** Whole milliseconds. */
export const millis = (min: number, max: number): Kind<number> => count(min, max, 'ms')

export const flag = (): Kind<boolean> =>
  kindOf({
    placeholder: 'on|off',
    rule: 'on or off (or true, false, yes, no, 1, 0)',
    schema: z
      .string()
      .trim()
      .pipe(z.stringbool({ truthy: ['on', 'true', 'yes', '1'], falsy: ['off', 'false', 'no', '0'] })),
    format: (value) => (value ? 'on' : 'off'),
  })

/** Any text of a bounded length, taken as it is. */
export const text = (minBytes: number, maxBytes: number): Kind<string> =>
  kindOf({
    placeholder: 'text',
    rule: `${minBytes === 0 ? 'at most' : `${minBytes} to`} ${maxBytes} bytes of text`,
    schema: z.string().refine((value) => Buffer.byteLength(value) >= minBytes && Buffer.byteLength(value) <= maxBytes),
  })

/** A path of a file or folder; whether it can be used is another question. */
export const path = (): Kind<string> =>
  kindOf({
    placeholder: 'path',
    rule: 'a path of 1 to 4096 bytes',
    schema: z.string().refine((value) => value !== '' && !value.includes('\0') && Buffer.byteLength(value) <= 4_096),
  })

/** A token that goes into a header: visible ASCII only, so that it cannot add a header of its own. */
export const secret = (): Kind<string> =>
  kindOf({
    placeholder: 'token',
    rule: '1 to 16384 visible ASCII characters without spaces',
    schema: z
      .string()
      .trim()
      .regex(/^[\x21-\x7e]{1,16384}$/),
    redactText: () => HIDDEN,
  })

/** A password that travels in the dialect, so that it may hold anything; a dialect that cannot carry it says so. */
export const password = (): Kind<string> =>
  kindOf({
    placeholder: 'password',
    rule: '1 to 65535 bytes of text',
    schema: z.string().refine((value) => value !== '' && Buffer.byteLength(value) <= 65_535),
    redactText: () => HIDDEN,
  })

export const pattern = (expression: RegExp, rule: string): Kind<string> =>
  kindOf({ placeholder: 'text', rule, schema: z.string().trim().regex(expression) })

/** The source of a JavaScript regular expression. */
export const regularExpression = (): Kind<string> =>
  kindOf({
    placeholder: 'regex',
    rule: 'a JavaScript regular expression of 1 to 1024 characters',
    schema: z.string().min(1).max(1_024).refine(isRegularExpression),
  })

export const choice = <const C extends readonly string[]>(choices: C): Kind<C[number]> =>
  kindOf<C[number]>({
    placeholder: 'word',
    rule: `one of ${choices.join(', ')}`,
    schema: z.string().trim().pipe(z.enum(choices)),
  })

/** URLs with one of `protocols` (`ws:`); a list unless `single`, and always an array. Entries stay as they were written. */
export function endpointList(protocols: readonly string[], { single = false } = {}): Kind<string[]> {
  const schemes = protocols.map((protocol) => `${protocol}//`).join(' or ')
  const split = (value: string) => (single ? [value.trim()] : splitEndpoints(value))
  const shape = single ? `one URL that starts with ${schemes}` : `URLs that start with ${schemes}, separated by commas`
  return kindOf({
    placeholder: single ? 'url' : 'url,…',
    rule: `${shape}, reserved characters in names and passwords percent-encoded`,
    schema: z
      .string()
      .transform(split)
      .refine((entries) => entries.every((entry) => isEndpoint(entry, protocols))),
    format: (entries) => entries.join(','),
    redactText: (value) =>
      split(value)
        .map((entry) => redactEndpoint(entry, protocols))
        .join(','),
  })
}

const HEADER_NAME = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
/** A semicolon separates only in front of a name and a colon, so `Cookie: a=1; b=2` is one header. */
const HEADER_SEPARATOR = new RegExp(`;\\s*(?=${HEADER_NAME}:)`)
const HEADER = new RegExp(`^${HEADER_NAME}:[ \\t]*[\\x20-\\x7e\\x80-\\xff\\t]*$`)
/** Set by the handshake itself; a second value would break it. */
const HANDSHAKE_HEADER = /^(?:connection|upgrade|content-length|transfer-encoding|sec-websocket-[a-z-]*)\s*:/i

/** Handshake headers, `Name: value; Name: value`. The values are secrets. */
export const headerList = (): Kind<string[]> =>
  kindOf({
    placeholder: 'name:value;…',
    rule: '`Name: value` pairs separated by semicolons, none of them Connection, Upgrade, Sec-WebSocket-… or about a body',
    schema: z
      .string()
      .transform(splitHeaders)
      .refine((lines) => lines.every((line) => HEADER.test(line) && !HANDSHAKE_HEADER.test(line))),
    format: (lines) => lines.join('; '),
    redactText: (value) => (value.trim() === '' ? '' : splitHeaders(value).map(redactHeader).join('; ')),
  })

/** Local addresses and IPv4 ranges. The value holds every address once, in order. */
export const addressList = (): Kind<string[]> =>
  kindOf({
    placeholder: 'address,…',
    rule: 'IP addresses and ascending IPv4 ranges (127.0.0.2-127.0.0.7) separated by commas',
    schema: z
      .string()
      .transform((value) => value.split(',').map((entry) => expandAddress(entry.trim())))
      .refine((entries): entries is string[][] => entries.every((entry) => entry !== undefined))
      .transform((entries) => [...new Set((entries as string[][]).flat())]),
    format: compressAddresses,
  })

/** A kind that may be absent; absence is never parsed or shown, the loader sees to that. */
export const optional = <T>(kind: Kind<T>): Kind<T | undefined> => kind as Kind<T | undefined>

interface Parts<T> {
  unit?: string
  placeholder: string
  rule: string
  schema: z.ZodType<T, string>
  format?: (value: T) => string
  redactText?: (text: string) => string
}

function kindOf<T>({ unit = '', schema, format = String, redactText = (value) => value, ...words }: Parts<T>): Kind<T> {
  return {
    unit,
    ...words,
    parse: (value) => schema.safeParse(value).data,
    format,
    redact: (value) => redactText(format(value)),
    redactText,
  }
}

const splitHeaders = (value: string): string[] => value.trim().replace(/;$/, '').split(HEADER_SEPARATOR)

function isRegularExpression(source: string): boolean {
  try {
    new RegExp(source)
    return true
  } catch {
    return false
  }
}
