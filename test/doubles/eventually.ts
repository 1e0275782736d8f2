/** Waits for a fact with a deadline, never for a length of time. */
const DEADLINE_MS = 10_000

export async function eventually<T>(fact: () => T | undefined | false, what: string): Promise<T> {
  const deadline = Date.now() + DEADLINE_MS
  for (;;) {
    const answer = fact()
    if (answer !== undefined && answer !== false) return answer as T
    if (Date.now() > deadline) throw new Error(`Waited ${DEADLINE_MS} ms in vain until ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}
