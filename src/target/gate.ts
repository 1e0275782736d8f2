/**
 * A freeze: for a time the target reads, answers and writes nothing, as a process does that collects garbage or is stopped.
 * Whoever would act asks the gate first and is called, in order, when it opens.
 */

export class Gate {
  #deferred: (() => void)[] = []
  #openMs = 0
  #timer: NodeJS.Timeout | undefined

  get isFrozen(): boolean {
    return this.#timer !== undefined
  }

  /** Freezes for `ms`, or for longer when it is frozen longer already. */
  freeze(ms: number): void {
    const openMs = performance.now() + ms
    if (openMs <= this.#openMs) return
    this.#openMs = openMs
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.thaw(), ms)
  }

  /** Acts now, or when the freeze is over. */
  pass(act: () => void): void {
    if (this.isFrozen) this.#deferred.push(act)
    else act()
  }

  thaw(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const deferred = this.#deferred
    this.#deferred = []
    for (const act of deferred) act()
  }
}
