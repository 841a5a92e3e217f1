import * as path from "node:path"
import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import { temporaryDirectory } from "../temporary.ts"
import { byKind, everyByte, subject, tally } from "./flips.ts"

/** Every byte of the one log, and many more of the other, are in `test/long/`. */
const FLIPS = 60

const SLOW_MACHINE_MS = 120_000

describe("a log in which a bit is another, in the log's file or in its segment,", () => {
  it.scopedLive(
    "is found out or answers every read as before: a sample of a small log's bytes",
    () =>
      Effect.gen(function* () {
        const filename = path.join(yield* temporaryDirectory, "log.db")
        const log = yield* subject({ filename, events: 50, pageBytes: 1024 })
        const flips = everyByte(log)
        const step = Math.floor(flips.length / FLIPS)
        const seen = yield* tally(
          log,
          flips.filter((_, index) => index % step === 0),
        )
        expect(seen.found).toBeGreaterThan(FLIPS / 3)
      }),
    SLOW_MACHINE_MS,
  )

  it.scopedLive(
    "is found out or answers every read as before, whatever kind of page the bit is on",
    () =>
      Effect.gen(function* () {
        const log = yield* subject({ filename: path.join(yield* temporaryDirectory, "log.db"), events: 520 })
        const flips = byKind(log, FLIPS)
        expect(new Set(flips.map(({ kind }) => kind)).size).toBeGreaterThan(30)
        const seen = yield* tally(log, flips)
        expect(seen.found).toBeGreaterThan(FLIPS / 3)
      }),
    SLOW_MACHINE_MS,
  )
})
