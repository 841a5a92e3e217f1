import * as path from "node:path"
import { it } from "@effect/vitest"
import { Effect } from "effect"
import { afterAll, describe, expect } from "vitest"
import { type Kill, killWriters } from "../events/faults/kills.ts"
import { SEED } from "../events/faults/random.ts"
import { temporaryDirectory } from "../temporary.ts"

const KILLS_PER_LOG = 10
const LOGS = Array.from({ length: 20 }, (_, index) => index)

/** Every kill of this run: what they hit together says whether the trial was one. */
const kills: Array<Kill> = []

describe(`two hundred SIGKILLs of writers at random moments (HINDCAST_SEED=${SEED})`, () => {
  it.scopedLive.each(LOGS)("lose no acknowledged event, double none, and leave no gap: log %i", (index) =>
    Effect.gen(function* () {
      const filename = path.join(yield* temporaryDirectory, "log.db")
      const seen = yield* killWriters(filename, SEED + index, KILLS_PER_LOG, index % 2 === 1)
      expect(seen).toHaveLength(KILLS_PER_LOG)
      kills.push(...seen)
    }),
  )

  it("hit commits that were being written, and commits that were not acknowledged yet", () => {
    expect(kills).toHaveLength(KILLS_PER_LOG * LOGS.length)
    expect(kills.filter(({ midCommit }) => midCommit).length).toBeGreaterThan(0)
    expect(kills.filter(({ unacknowledged }) => unacknowledged > 0).length).toBeGreaterThan(0)
  })

  it("leave a log that is open again within a second", () => {
    expect(Math.max(...kills.map(({ openedInMs }) => openedInMs))).toBeLessThan(1000)
  })

  afterAll(() => {
    const opened = kills.map(({ openedInMs }) => openedInMs).sort((a, b) => a - b)
    const at = (share: number) => `${Math.round(opened[Math.floor(share * (opened.length - 1))] ?? Number.NaN)} ms`
    console.log(
      `${kills.length} kills: ${kills.filter(({ midCommit }) => midCommit).length} in the middle of writing a commit, ` +
        `${kills.filter(({ unacknowledged }) => unacknowledged > 0).length} after a commit that was not acknowledged to all. ` +
        `The log opened in ${at(0.5)} (median), ${at(1)} (longest); it held up to ${Math.max(...kills.map(({ events }) => events))} events.`,
    )
  })
})
