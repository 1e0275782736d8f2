/**
 * MQTT's variable byte integer: seven bits a byte, least first, at most four bytes. Remaining lengths and property lengths
 * are written this way.
 */

const CONTINUES = 0x80
const MAX_BYTES = 4

/** What reading one can lead to beside a value. */
export const INCOMPLETE = -1
export const MALFORMED = -2

/** The value at `data[start, end)`, or INCOMPLETE or MALFORMED. Its size is `variableIntBytes(value)`: longer forms are malformed. */
export function readVariableInt(data: Uint8Array, start: number, end: number): number {
  let value = 0
  let scale = 1
  for (let index = 0; index < MAX_BYTES; index++) {
    if (start + index >= end) return INCOMPLETE
    const byte = data[start + index]!
    value += (byte & 0x7f) * scale
    // The shortest form is the only one allowed (MQTT 5.0 §1.5.5), so a last byte of zero stands alone.
    if ((byte & CONTINUES) === 0) return byte === 0 && index > 0 ? MALFORMED : value
    scale *= CONTINUES
  }
  return MALFORMED
}

/** How many bytes the shortest form of `value` takes. */
export const variableIntBytes = (value: number): number => (value < 0x80 ? 1 : value < 0x4000 ? 2 : value < 0x20_0000 ? 3 : 4)

/** The shortest form of `value`, 0 to 268 435 455. */
export function variableInt(value: number): number[] {
  const bytes: number[] = []
  let rest = value
  do {
    const more = rest >= CONTINUES
    bytes.push((rest % CONTINUES) | (more ? CONTINUES : 0))
    rest = Math.floor(rest / CONTINUES)
  } while (rest > 0)
  return bytes
}
