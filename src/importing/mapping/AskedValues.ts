/** Tracks which values of a mapping occurred in any record. */

import type { MappedRuns } from "../runs/Runs.ts"

export class AskedValues {
  readonly #asked = new Map<string, boolean>()

  count(place: string, value: unknown): unknown {
    this.#asked.set(place, this.#asked.get(place) === true || value !== undefined)
    return value
  }

  /** Remarks on values that no record had, usually because of a wrong path. */
  tellMissing(runs: MappedRuns): void {
    for (const [place, isThere] of this.#asked) {
      const [, rule = "", name = place] = /^(records\[\d+\])\.([\w.]+)$/.exec(place) ?? []
      const isCalled = name === "text" && this.#asked.get(`${rule}.calls.in`) === true
      if (!isThere && !isCalled && !MAY_BE_ABSENT.has(name))
        runs.remark(`no record has a value for ${place} of the mapping`)
    }
  }
}

/** Values that may be absent from all records. */
const MAY_BE_ABSENT = new Set([
  ...[
    "reasoning",
    "calls.in",
    "failed",
    "reason",
    "rationale",
    "source",
    "cachedTokens",
    "cacheWriteTokens",
    "askedAt",
  ],
  ...["goal", "kind"],
])
