/** Kinds of setting values; placeholder signatures until the real ones land. */
export interface Kind<T> {
  readonly unit: string
  /** The rule in words, as complaints and help print it. */
  readonly rule: string
  /** The value, or undefined when the text breaks the rule. */
  parse(text: string): T | undefined
  /** The text that parses to this value; what help and reports print (secrets excepted). */
  format(value: T): string
  /** `value` with secrets replaced, for reports and logs. */
  redact(value: T): string
}
type Make<T, A extends unknown[]> = (...args: A) => Kind<T>
export declare const count: Make<number, [min: number, max: number]>
export declare const number: Make<number, [min: number, max: number, unit: string]>
export declare const millis: Make<number, [min: number, max: number]>
export declare const flag: Make<boolean, []>
export declare const text: Make<string, [min: number, max: number]>
export declare const secret: Make<string, []>
export declare const pattern: Make<string, [pattern: RegExp, rule: string]>
export declare const list: Make<string[], [item: string, separator: string]>
export declare const endpointList: Make<string[], [protocols: string[], more?: { secret?: boolean; single?: boolean }]>
export declare function choice<const C extends readonly string[]>(choices: C): Kind<C[number]>
