/**
 * Finds the version that each line of a file comes from, by content instead of commits. Pure.
 *
 * - A version with the content of an earlier one takes over its blame, as after `git stash pop` or a checkout.
 * - In a version from outside of any call (a rebase, a person), lines that an earlier version contained keep their
 *   origin.
 * - A line that first appears after a version of unknown content may come from that version.
 * - A line that no version contained is not seen.
 */

import { type Blamed, EarlierContents } from "./EarlierContents.ts"
import * as LineDiff from "./LineDiff.ts"
import type { Lines, LineTable } from "./LineTable.ts"

export interface Version<Origin> {
  readonly origin: Origin
  /** All versions share one table. Empty if the file was missing or binary; undefined if the content is unknown. */
  readonly lines: Lines | undefined
  /** Whether no call made it. */
  readonly isOutside: boolean
}

/** Where a line comes from. */
export type Attribution<Origin> =
  | { readonly kind: "seen"; readonly origin: Origin }
  /** It appeared after the last version. */
  | { readonly kind: "not-seen" }
  /** It appeared with `since`, whose content is unknown, or later, up to `until`. Without `until`: up to now. */
  | { readonly kind: "unknown"; readonly since: Origin; readonly until: Origin | undefined }
  /**
   * It came with the version or is older: the contents before and after differ too much to align them. Without
   * `version`: the last version and the present content differ too much.
   */
  | { readonly kind: "too-different"; readonly version: Origin | undefined }

export interface Blame<Origin> {
  /** For each present line. */
  readonly lines: ReadonlyArray<Attribution<Origin>>
  /** Whether early contents were dropped to limit memory. Lines that came back from them count as new. */
  readonly hasDropped: boolean
}

/** Maximum number of lines of all contents together, at eight bytes a line. */
export const MAX_LINES = 8_000_000

/** Attributes the present lines in one pass through the versions, oldest first. */
export const of = <Origin>(
  versions: Iterable<Version<Origin>>,
  present: Lines,
  table: LineTable,
  { maxLines = MAX_LINES }: { readonly maxLines?: number } = {},
): Blame<Origin> => {
  const fold = new BlameFold<Origin>(table, maxLines)
  for (const version of versions) fold.add(version)
  return fold.attribute(present)
}

/** The attributions of lines without an earlier version. */
interface Own<Origin> {
  readonly isNew: Attribution<Origin>
  readonly isUndecided: Attribution<Origin>
}

class BlameFold<Origin> {
  readonly #table: LineTable
  readonly #earlier: EarlierContents
  readonly #attributions: Array<Attribution<Origin>> = []
  /** The remaining effort of the whole blame for aligning lines. */
  #effort = MAX_EFFORT
  /** The first version of unknown content since the last known one. */
  #unknown: { readonly origin: Origin } | undefined

  constructor(table: LineTable, maxLines: number) {
    this.#table = table
    this.#earlier = new EarlierContents(maxLines)
  }

  add({ origin, lines, isOutside }: Version<Origin>): void {
    if (lines === undefined) {
      this.#unknown ??= { origin }
      return
    }
    const own = this.#own({ kind: "seen", origin }, origin)
    const diff = this.#compare(this.#earlier.latest.lines, lines)
    this.#earlier.add(this.#blamed(lines, diff, own, isOutside), diff.hunks)
    this.#unknown = undefined
  }

  attribute(present: Lines): Blame<Origin> {
    const own = this.#own({ kind: "not-seen" }, undefined)
    const { sources } = this.#blamed(present, this.#compare(this.#earlier.latest.lines, present), own, true)
    return {
      lines: Array.from(sources, (source) => this.#attributions[source] ?? own.isNew),
      hasDropped: this.#earlier.hasDropped,
    }
  }

  #own(isNew: Attribution<Origin>, version: Origin | undefined): Own<Origin> {
    return {
      isNew: this.#unknown === undefined ? isNew : { kind: "unknown", since: this.#unknown.origin, until: version },
      isUndecided: { kind: "too-different", version },
    }
  }

  #blamed(lines: Lines, diff: LineDiff.LineDiff, own: Own<Origin>, isOutside: boolean): Blamed {
    const equal = this.#earlier.equalTo(lines)
    if (equal !== undefined) return equal
    const blamed = { lines, sources: new Int32Array(lines.length) }
    const inserted = this.#carry(blamed, diff, own)
    if (isOutside) this.#bringBack(blamed, inserted)
    return blamed
  }

  /** Copies the sources of unchanged lines, and sets those of the others. Returns the places of new lines. */
  #carry({ lines, sources }: Blamed, { hunks, isWhole }: LineDiff.LineDiff, own: Own<Origin>): ReadonlyArray<number> {
    const before = this.#earlier.latest
    const fresh = this.#attributions.push(own.isNew) - 1
    const inserted: Array<number> = []
    let [oldAt, newAt] = [0, 0]
    for (const { oldStart, oldEnd, newStart, newEnd } of hunks) {
      sources.set(before.sources.subarray(oldAt, oldStart), newAt)
      sources.fill(fresh, newStart, newEnd)
      for (let place = newStart; place < newEnd; place++) inserted.push(place)
      oldAt = oldEnd
      newAt = newEnd
    }
    sources.set(before.sources.subarray(oldAt), newAt)
    if (isWhole) return inserted
    // A line that the content before lacks is certainly new.
    const undecided = this.#attributions.push(own.isUndecided) - 1
    const olds = new Set(before.lines)
    for (const place of inserted) if (olds.has(lines[place] ?? -1)) sources[place] = undecided
    return inserted.filter((place) => sources[place] === fresh)
  }

  /** Gives new lines from outside their sources in the earlier contents that fit best. */
  #bringBack({ lines, sources }: Blamed, inserted: ReadonlyArray<number>): void {
    const open = new Set(inserted)
    const tried = new Set<Blamed>()
    for (let round = 0; round < MAX_ROUNDS && open.size > 0; round++) {
      const earlier = this.#earlier.bestFor(
        [...open].map((place) => lines[place] ?? -1),
        tried,
      )
      if (earlier === undefined) return
      tried.add(earlier)
      for (const [old, place] of this.#cameBack(earlier.lines, lines, open)) {
        sources[place] = earlier.sources[old] ?? 0
        open.delete(place)
      }
    }
  }

  /**
   * The open lines that an earlier content contains, with their places there. Counts only runs with at least one
   * distinctive line, because an empty line or a bracket alone proves nothing.
   */
  #cameBack(earlier: Lines, lines: Lines, open: ReadonlySet<number>): ReadonlyArray<readonly [number, number]> {
    const { hunks, isWhole } = this.#compare(earlier, lines)
    if (!isWhole) return []
    const came: Array<readonly [number, number]> = []
    let succession: Array<readonly [number, number]> = []
    const end = () => {
      if (succession.some(([old]) => this.#table.isDistinctive(earlier[old] ?? -1)))
        for (const one of succession) came.push(one)
      succession = []
    }
    let [oldAt, newAt] = [0, 0]
    for (const { oldStart, oldEnd, newEnd } of [...hunks, ending(earlier, lines)]) {
      for (; oldAt < oldStart; oldAt++, newAt++) {
        if (open.has(newAt)) succession.push([oldAt, newAt])
        else end()
      }
      end()
      oldAt = oldEnd
      newAt = newEnd
    }
    return came
  }

  /** Draws on the effort of the whole blame, so that it ends for every history. */
  #compare(before: Lines, after: Lines): LineDiff.LineDiff {
    const diff = LineDiff.between(before, after, Math.min(LineDiff.MAX_EDITS, Math.floor(Math.sqrt(this.#effort))))
    this.#effort -= diff.edits ** 2
    return diff
  }
}

/** Maximum number of earlier contents that give lines back to one version. */
const MAX_ROUNDS = 8

/** In squares of edits. */
const MAX_EFFORT = 10 * LineDiff.MAX_EDITS ** 2

const ending = (before: Lines, after: Lines): LineDiff.Hunk => ({
  oldStart: before.length,
  oldEnd: before.length,
  newStart: after.length,
  newEnd: after.length,
})
