/** What stands on every control message outside: who to whom, and its place in their conversation. AMQP headers, so nothing is unpacked for it. */
import { z } from 'zod'

const id = z.string().max(64)

const headerSchema = z.object({
  /** CONTROL_VERSION of the sender. */
  v: z.int(),
  from: id,
  /** Empty while the sender does not know. */
  to: id,
  /** Place in the conversation, from 1; 0 for what may be lost. */
  number: z.int().nonnegative(),
  /** Everything up to this number was heard. */
  heard: z.int().nonnegative(),
})

export type Header = z.infer<typeof headerSchema>

/** undefined when it is no header of ours. */
export const readHeader = (headers: unknown): Header | undefined => headerSchema.safeParse(headers).data
