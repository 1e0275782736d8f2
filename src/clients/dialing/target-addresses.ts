/**
 * Names of targets and the addresses dials go to. A name is looked up once per thread, not once per client; when it has
 * several addresses (localhost has two on many machines) the first that takes a connection is used for all. To spread
 * clients over several targets, list them in WS_ADDR.
 */
import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { errorCodeOf } from '../engines/socket-faults.ts'

export interface ResolvedAddress {
  readonly address: string
  readonly family: number
}

export type ResolveName = (name: string) => Promise<readonly ResolvedAddress[]>

const systemResolver: ResolveName = (name) => lookup(name, { all: true })

interface KnownTarget {
  readonly candidates: readonly ResolvedAddress[]
  /** Why there are none. */
  readonly failure: string
  /** Index of the candidate in use. */
  current: number
  hasWorked: boolean
}

export class TargetAddresses {
  readonly #targets: KnownTarget[]

  /** Looks all names up at the same time; takes at most `timeoutMs`. Never rejects: a name without address fails its dials. */
  static async resolve(names: readonly string[], timeoutMs: number, resolveName: ResolveName = systemResolver): Promise<TargetAddresses> {
    const targets = await Promise.all(names.map((name) => resolveTarget(name, timeoutMs, resolveName)))
    return new TargetAddresses(targets)
  }

  private constructor(targets: KnownTarget[]) {
    this.#targets = targets
  }

  /** Where to dial target `target` now, from a source of this family (any when undefined); undefined when there is no such address. */
  current(target: number, family: number | undefined): string | undefined {
    const { candidates, current } = this.#targets[target]!
    return candidates.slice(current).find((candidate) => family === undefined || candidate.family === family)?.address
  }

  /** Why a target has no address, in words. */
  failure(target: number): string {
    return this.#targets[target]!.failure
  }

  worked(target: number): void {
    this.#targets[target]!.hasWorked = true
  }

  /**
   * Nobody took a connection at `address`. True: another address is worth a try. Once an address has worked no other is
   * tried: a target that fails later is a finding, not a matter of names.
   */
  failed(target: number, address: string): boolean {
    const known = this.#targets[target]!
    if (known.hasWorked) return false
    const index = known.candidates.findIndex((candidate) => candidate.address === address)
    known.current = Math.max(known.current, Math.min(index + 1, known.candidates.length - 1))
    return index + 1 < known.candidates.length
  }
}

async function resolveTarget(name: string, timeoutMs: number, resolveName: ResolveName): Promise<KnownTarget> {
  const family = isIP(name)
  const found = family === 0 ? await lookUp(name, timeoutMs, resolveName) : { candidates: [{ address: name, family }], failure: '' }
  return { ...found, current: 0, hasWorked: false }
}

async function lookUp(name: string, timeoutMs: number, resolveName: ResolveName): Promise<Pick<KnownTarget, 'candidates' | 'failure'>> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs)
  })
  try {
    return { candidates: await Promise.race([resolveName(name), timeout]), failure: `${name} has no address of the family of the source` }
  } catch (error) {
    return { candidates: [], failure: `${name} cannot be resolved (${errorCodeOf(error) ?? (error as Error).message})` }
  } finally {
    clearTimeout(timer)
  }
}
