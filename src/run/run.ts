/**
 * The whole run, to be read aloud. Each step is a file of its own; each waits for a fact with a deadline, never for a
 * message from the measured stream. What happens on the way is gathered in the story; nothing here judges or reports.
 */
import { hearCanary } from './canary.ts'
import { connectClients, everyoneReady } from './connect.ts'
import { drain } from './drain.ts'
import { finish } from './finish.ts'
import { openBroker, publish, warmUp } from './publish.ts'
import type { RunResult } from './result.ts'
import { type RunParts, Story } from './story.ts'

export async function run(parts: RunParts): Promise<RunResult> {
  const story = new Story(parts)
  try {
    await openBroker(story)
    await connectClients(story)
    await everyoneReady(story)
    await hearCanary(story)
    await warmUp(story)
    await publish(story)
    await drain(story)
  } catch (reason) {
    story.endedBy(reason)
  }
  return finish(story)
}
