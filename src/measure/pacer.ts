/**
 * When the next probe is due. A pure decider: it is asked how much time has passed and how many slots are used up, and
 * holds no clock and no timer. Slot n is due n gaps after the start, computed from n, so nothing adds up over a long run.
 */

/** A late slot is left out (`CATCH_UP=skip`) only past this: a timer is up to 1 ms late and a collection takes a few. */
export const SKIP_AFTER_US = 10_000

export type PacerDecision =
  /** Send one probe now; it was due at `slotUs` after the start. With pacing closed there is no slot: intended is when it is sent. */
  | { readonly action: 'send'; readonly slotUs: number | undefined }
  /** Ask again when this much time has passed. */
  | { readonly action: 'wait'; readonly waitUs: number }
  /** Leave out this many slots (at least 1), then ask again. */
  | { readonly action: 'skip'; readonly slots: number }
  /** All slots are used up. */
  | { readonly action: 'finish' }

/** Slots every `gapUs`, or none: the next probe goes as soon as the injector takes it. */
export type Pace = { readonly kind: 'open'; readonly gapUs: number } | { readonly kind: 'closed' }

export interface PacerOptions {
  readonly pace: Pace
  readonly catchUp: 'burst' | 'skip'
  /** Slots in all. */
  readonly slots: number
}

/** Asked with microseconds since the start and the slots used up (sent or skipped), it says what to do. */
export function decidePace(options: PacerOptions, elapsedUs: number, used: number): PacerDecision {
  const { pace, catchUp, slots } = options
  if (used >= slots) return { action: 'finish' }
  if (pace.kind === 'closed') return { action: 'send', slotUs: undefined }

  const slotUs = used * pace.gapUs
  const latenessUs = elapsedUs - slotUs
  if (latenessUs < 0) return { action: 'wait', waitUs: -latenessUs }
  const toleranceUs = Math.max(pace.gapUs, SKIP_AFTER_US)
  if (catchUp === 'burst' || latenessUs <= toleranceUs) return { action: 'send', slotUs }

  // The first slot that is not too late yet is the next to be sent.
  const firstKept = Math.max(used + 1, Math.ceil((elapsedUs - toleranceUs) / pace.gapUs))
  return { action: 'skip', slots: Math.min(firstKept, slots) - used }
}
