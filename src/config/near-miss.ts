/**
 * Names that were probably meant to be another: `WS_POOLSIZE`, `MSG_DELAY_MS`, `--msg-cuont`. Deliberately deaf to words
 * that merely share a few letters, because an environment is full of other programs' variables.
 */

/** Units people add to a name or leave out of it. */
const UNIT_SUFFIX = /^(?:MILLISECONDS|MILLIS|SECONDS|SECS|SEC|BYTES|MS|MB|S)$/
const PREFIX = 'FANFARE'

/** The known name that `name` was probably meant to be; undefined when it is a known name or close to none. */
export function nearestName(name: string, knownNames: readonly string[]): string | undefined {
  if (knownNames.includes(name)) return undefined
  const words = wordsOf(name)
  const bare = words.join('')
  const candidates = knownNames.map((known) => ({ known, distance: distanceBetween(words, bare, wordsOf(known)) }))
  const nearest = candidates.reduce((best, candidate) => (candidate.distance < best.distance ? candidate : best))
  return nearest.distance <= allowedDistance(bare) ? nearest.known : undefined
}

function distanceBetween(words: readonly string[], bare: string, knownWords: readonly string[]): number {
  const knownBare = knownWords.join('')
  if (bare === knownBare || bare === PREFIX + knownBare) return 0
  if (differOnlyByUnit(words, knownWords)) return 0.5
  return editDistance(bare, knownBare)
}

/** Short words are one letter from too many others (`DATE`, `RATE`): only spelling without regard to `_` counts for them. */
function allowedDistance(bare: string): number {
  if (bare.length < 6) return 0.5
  return bare.length < 10 ? 1 : 2
}

/** `MSG_DELAY_MS` for MSG_DELAY, `CONNECT_TIMEOUT` for CONNECT_TIMEOUT_MS; a lone word (`QUIET`) is anybody's. */
function differOnlyByUnit(words: readonly string[], knownWords: readonly string[]): boolean {
  const [shorter, longer] = words.length < knownWords.length ? [words, knownWords] : [knownWords, words]
  if (longer.length !== shorter.length + 1 || words.length < 2) return false
  return UNIT_SUFFIX.test(longer.at(-1)!) && shorter.join('') === longer.slice(0, -1).join('')
}

const wordsOf = (name: string): string[] =>
  name
    .toUpperCase()
    .split(/[^A-Z0-9]+/)
    .filter((word) => word !== '')

/** Insertions, deletions, replacements and swaps of neighbours (optimal string alignment). */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1]
      row[j] = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (isSame ? 0 : 1))
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      if (isSwap) row[j] = Math.min(row[j]!, beforeLast[j - 2]! + 1)
    }
    beforeLast = last
    last = row
  }
  return last[b.length]!
}
