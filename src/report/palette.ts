/** Colours of the terminal, or none. What is coloured is never told by colour alone. */

const codes = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39], cyan: [36, 39] } as const

export type Palette = Readonly<Record<keyof typeof codes, (text: string) => string>>

/** `isColoured`: on a terminal, unless NO_COLOR is set. */
export function makePalette(isColoured: boolean): Palette {
  const paint =
    ([on, off]: readonly [number, number]) =>
    (text: string) =>
      isColoured ? `\u001b[${on}m${text}\u001b[${off}m` : text
  return Object.fromEntries(Object.entries(codes).map(([name, code]) => [name, paint(code)])) as Palette
}
