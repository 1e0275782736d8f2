/**
 * Waiting for a fact: ask, decide, ask again. Every wait ends by its own decision or an abort. What is waited for, and how long, it
 * does not know.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Story } from './story.ts'

/** How often the crowd is asked while a phase waits. Short enough to end a run promptly, long enough to cost nothing. */
const ASK_EVERY_MS = 100

/** Resolves with the first answer that is not undefined. `decide` must answer in the end: it knows the deadline. */
export async function waitFor<T>(story: Story, decide: () => Promise<T | undefined> | T | undefined): Promise<T> {
  for (;;) {
    story.throwIfInterrupted()
    const answer = await decide()
    if (answer !== undefined) return answer
    await sleep(ASK_EVERY_MS, undefined, { signal: story.parts.stop }).catch(() => story.throwIfInterrupted())
  }
}

/** Runs `watch` every now and then until `work` is done; resolves with the work's own result. */
export async function whileDoing<T>(work: Promise<T>, watch: () => Promise<void>, everyMs: number): Promise<T> {
  const done = new AbortController()
  const watching = (async () => {
    while (!done.signal.aborted) {
      await watch()
      await sleep(everyMs, undefined, { signal: done.signal }).catch(() => undefined)
    }
  })()
  try {
    return await work
  } finally {
    done.abort()
    await watching
  }
}
