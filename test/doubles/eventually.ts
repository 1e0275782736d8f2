/** Waits for a fact with a deadline, never for a length of time. */
const DEADLINE_MS = 10_000

export async function eventually<T>(fact: () => T | undefined | false, what: string, deadlineMs = DEADLINE_MS): Promise<T> {
  const deadline = Date.now() + deadlineMs
  for (;;) {
    const answer = fact()
    if (answer !== undefined && answer !== false) return answer as T
    if (Date.now() > deadline) throw new Error(`Waited ${deadlineMs} ms in vain until ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}
