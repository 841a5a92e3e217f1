/** Which values a mapping asked records for, by their places in it, and whether a record had one. */

import type { Runs } from "../runs/Runs.ts"

export class AskedValues {
  readonly #asked = new Map<string, boolean>()

  /** Counts a value that a record was asked for, and returns it. */
  count(place: string, value: unknown): unknown {
    this.#asked.set(place, this.#asked.get(place) === true || value !== undefined)
    return value
  }

  /** Says which values no record had, as where a path is mistaken. */
  tellMissing(runs: Runs): void {
    for (const [place, isThere] of this.#asked) {
      const [, rule = "", name = place] = /^(records\[\d+\])\.([\w.]+)$/.exec(place) ?? []
      const isCalled = name === "text" && this.#asked.get(`${rule}.calls.in`) === true
      if (!isThere && !isCalled && !MAY_BE_ABSENT.has(name))
        runs.remark(`no record has a value for ${place} of the mapping`)
    }
  }
}

/** Values that all records of a file may lack. */
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
