/**
 * A set of sequences per row, one bit each, in pages that exist only where a bit was ever set. All pages together stay under a number of
 * bytes: the set says when it is full, and never forgets in silence. It knows nothing of what a bit means.
 */

const PAGE_BITS = 1_024
const PAGE_SHIFT = 10
const PAGE_WORDS = PAGE_BITS / 32
/** Pages are allocated a slab at a time, so that no page is an object of its own and nothing is ever copied. */
const SLAB_PAGES = 1_024
const SLAB_SHIFT = 10
/** The bits and, roughly, the entry of the page in its row's map. */
const PAGE_BYTES = PAGE_BITS / 8 + 40

export class SequenceBits {
  /** A page could not be had because of the limit: what was added since then is not in the set. */
  isFull = false
  readonly #maxPages: number
  /** By row: page number to place of the page. */
  readonly #pagesOf: (Map<number, number> | undefined)[]
  readonly #counts: Uint32Array
  readonly #slabs: Uint32Array[] = []
  /** Places of pages that were used and are free again. */
  readonly #free: number[] = []
  #places = 0

  constructor(rows: number, maxBytes: number) {
    this.#pagesOf = new Array<Map<number, number> | undefined>(rows).fill(undefined)
    this.#counts = new Uint32Array(rows)
    this.#maxPages = Math.floor(maxBytes / PAGE_BYTES)
  }

  /** Bytes in use. */
  get bytes(): number {
    return (this.#places - this.#free.length) * PAGE_BYTES
  }

  /** Sequences in the set of a row. */
  count(row: number): number {
    return this.#counts[row]!
  }

  has(row: number, sequence: number): boolean {
    const place = this.#pagesOf[row]?.get(sequence >>> PAGE_SHIFT)
    return place !== undefined && (this.#slab(place)[wordOf(place, sequence)]! & bitOf(sequence)) !== 0
  }

  /** Adds the sequences from `from` up to and without `to`, none of which may be in the set yet. */
  addRange(row: number, from: number, to: number): void {
    let sequence = from
    while (sequence < to) {
      const place = this.#pageFor(row, sequence >>> PAGE_SHIFT)
      if (place < 0) return
      const pageEnd = ((sequence >>> PAGE_SHIFT) + 1) * PAGE_BITS
      const end = Math.min(to, pageEnd)
      this.#counts[row]! += end - sequence
      sequence = setBits(this.#slab(place), place, sequence, end)
    }
  }

  /** Takes one sequence out; false when it is not in the set. */
  remove(row: number, sequence: number): boolean {
    const place = this.#pagesOf[row]?.get(sequence >>> PAGE_SHIFT)
    if (place === undefined) return false
    const slab = this.#slab(place)
    const word = wordOf(place, sequence)
    if ((slab[word]! & bitOf(sequence)) === 0) return false
    slab[word]! &= ~bitOf(sequence)
    this.#counts[row]!--
    // A swap of two neighbours comes and goes; its page must not stay for the rest of the run.
    if (this.#counts[row] === 0) this.#freePages(row)
    return true
  }

  /** Every sequence of a row, ascending. */
  each(row: number, visit: (sequence: number) => void): void {
    const pages = this.#pagesOf[row]
    if (pages === undefined || this.#counts[row] === 0) return
    for (const page of [...pages.keys()].sort((a, b) => a - b)) {
      const place = pages.get(page)!
      const slab = this.#slab(place)
      for (let word = 0; word < PAGE_WORDS; word++) {
        let bits = slab[wordOf(place, 0) + word]!
        while (bits !== 0) {
          const lowest = 31 - Math.clz32(bits & -bits)
          visit(page * PAGE_BITS + word * 32 + lowest)
          bits &= bits - 1
        }
      }
    }
  }

  #slab(place: number): Uint32Array {
    return this.#slabs[place >>> SLAB_SHIFT]!
  }

  /** The place of a row's page, made when it does not exist; −1 when there is no room. */
  #pageFor(row: number, page: number): number {
    let pages = this.#pagesOf[row]
    if (pages === undefined) {
      pages = new Map()
      this.#pagesOf[row] = pages
    }
    const known = pages.get(page)
    if (known !== undefined) return known
    const place = this.#newPlace()
    if (place >= 0) pages.set(page, place)
    return place
  }

  #newPlace(): number {
    const freed = this.#free.pop()
    if (freed !== undefined) return freed
    if (this.#places >= this.#maxPages) {
      this.isFull = true
      return -1
    }
    if (this.#places % SLAB_PAGES === 0) this.#slabs.push(new Uint32Array(SLAB_PAGES * PAGE_WORDS))
    return this.#places++
  }

  /** Only for a row without a bit, so that the pages are clean for whoever gets them next. */
  #freePages(row: number): void {
    for (const place of this.#pagesOf[row]!.values()) this.#free.push(place)
    this.#pagesOf[row] = undefined
  }
}

const wordOf = (place: number, sequence: number): number => (place & (SLAB_PAGES - 1)) * PAGE_WORDS + ((sequence & (PAGE_BITS - 1)) >>> 5)

const bitOf = (sequence: number): number => 1 << (sequence & 31)

/** Sets the bits from `from` up to and without `to`, all of one page, and returns `to`. */
function setBits(slab: Uint32Array, place: number, from: number, to: number): number {
  let sequence = from
  while (sequence < to) {
    const shift = sequence & 31
    const bits = Math.min(32 - shift, to - sequence)
    const mask = bits === 32 ? -1 : ((1 << bits) - 1) << shift
    slab[wordOf(place, sequence)]! |= mask
    sequence += bits
  }
  return sequence
}
