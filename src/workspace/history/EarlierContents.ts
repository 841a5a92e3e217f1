/** A file's earlier contents with their blame: finds the content that has come back, in whole or in part. */

import type { Hunk } from "./LineDiff.ts"
import { type Lines, NO_LINES } from "./LineTable.ts"

/** A content, and for each of its lines the number of its attribution. */
export interface Blamed {
  readonly lines: Lines
  readonly sources: Int32Array
}

export class EarlierContents {
  /** Oldest first. */
  readonly #contents: Array<Blamed | undefined> = []
  readonly #byHash = new Map<number, Array<number>>()
  /** For each line that is gone, the last content that contained it. */
  readonly #lastHeld = new Map<number, number>()
  readonly #maxLines: number
  #latest: number | undefined
  #lines = 0
  #oldest = 0

  constructor(maxLines: number) {
    this.#maxLines = maxLines
  }

  /** The last content that was added. */
  get latest(): Blamed {
    return (this.#latest === undefined ? undefined : this.#contents[this.#latest]) ?? NOTHING
  }

  /** Whether old contents were dropped because all together exceeded the maximum number of lines. */
  get hasDropped(): boolean {
    return this.#oldest > 0
  }

  /** Adds a content, with its difference from the latest one. */
  add(content: Blamed, hunks: ReadonlyArray<Hunk>): void {
    this.#leave(hunks)
    const hash = hashOf(content.lines)
    const places = this.#byHash.get(hash) ?? []
    const known = places.find((place) => this.#contents[place] === content)
    if (known !== undefined) {
      this.#latest = known
      return
    }
    this.#latest = this.#contents.push(content) - 1
    this.#byHash.set(hash, [...places, this.#latest])
    this.#lines += content.lines.length
    while (this.#lines > this.#maxLines && this.#oldest < this.#latest) {
      this.#lines -= this.#contents[this.#oldest]?.lines.length ?? 0
      this.#contents[this.#oldest++] = undefined
    }
  }

  /** The earlier content with exactly these lines. */
  equalTo(lines: Lines): Blamed | undefined {
    for (const place of this.#byHash.get(hashOf(lines)) ?? []) {
      const content = this.#contents[place]
      if (content !== undefined && isEqual(content.lines, lines)) return content
    }
    return undefined
  }

  /** The earlier content, among those not tried, that contains most of these lines. Of equals, the later one. */
  bestFor(lines: ReadonlyArray<number>, tried: ReadonlySet<Blamed>): Blamed | undefined {
    const votes = new Map<number, number>()
    for (const line of lines) {
      const place = this.#lastHeld.get(line)
      const content = place === undefined ? undefined : this.#contents[place]
      if (place !== undefined && content !== undefined && !tried.has(content))
        votes.set(place, (votes.get(place) ?? 0) + 1)
    }
    const candidates = [...votes].sort(([one, a], [other, b]) => b - a || other - one).slice(0, MAX_CANDIDATES)
    const wanted = new Set(lines)
    let best: { readonly content: Blamed; readonly held: number; readonly place: number } | undefined
    for (const [place] of candidates) {
      const content = this.#contents[place]
      if (content === undefined) continue
      const held = wanted.size - without(wanted, content.lines)
      if (best === undefined || held > best.held || (held === best.held && place > best.place))
        best = { content, held, place }
    }
    return best?.content
  }

  #leave(hunks: ReadonlyArray<Hunk>): void {
    const place = this.#latest
    if (place === undefined) return
    const { lines } = this.latest
    for (const { oldStart, oldEnd } of hunks)
      for (const line of lines.subarray(oldStart, oldEnd)) this.#lastHeld.set(line, place)
  }
}

const NOTHING: Blamed = { lines: NO_LINES, sources: NO_LINES }

/** Maximum number of contents to count for the best one. */
const MAX_CANDIDATES = 8

/** How many of the wanted lines a content lacks. */
const without = (wanted: ReadonlySet<number>, lines: Lines): number => {
  const missing = new Set(wanted)
  for (const line of lines) if (missing.delete(line) && missing.size === 0) break
  return missing.size
}

/** FNV-1a. */
const hashOf = (lines: Lines): number => {
  let hash = 0x811c9dc5
  for (const line of lines) hash = Math.imul(hash ^ line, 0x01000193)
  return hash
}

const isEqual = (one: Lines, other: Lines): boolean =>
  one.length === other.length && one.every((line, index) => line === other[index])
