/**
 * Topic matching: words separated by dots; `*` stands for one word, `#` for any number of them, none included.
 */

export const topicWords = (key: string): readonly string[] => key.split('.')

/**
 * Whether the words of a routing key fit the words of a binding's pattern. Going back only to the latest `#` is enough, so
 * a hostile pattern costs at most words × words steps.
 */
export function topicMatches(pattern: readonly string[], words: readonly string[]): boolean {
  let at = 0
  let patternAt = 0
  let hashAt = -1
  let resumeAt = 0
  while (at < words.length) {
    const expected = pattern[patternAt]
    if (expected === '#') {
      hashAt = patternAt++
      resumeAt = at
    } else if (expected !== undefined && (expected === '*' || expected === words[at])) {
      patternAt++
      at++
    } else if (hashAt >= 0) {
      patternAt = hashAt + 1
      at = ++resumeAt
    } else {
      return false
    }
  }
  while (pattern[patternAt] === '#') patternAt++
  return patternAt === pattern.length
}
