/** Data with typed arrays made plain and zeros without a sign, for comparing what travelled with what was sent. */
export function plain(value: unknown): unknown {
  if (ArrayBuffer.isView(value)) return Array.from(value as Float64Array, plain)
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value === 'object' && value !== null) return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, plain(part)]))
  return Object.is(value, -0) ? 0 : value
}
