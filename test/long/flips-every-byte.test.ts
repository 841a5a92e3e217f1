import * as path from "node:path"
import { it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import { everyByte, subject, tally } from "../events/flips.ts"
import { temporaryDirectory } from "../temporary.ts"

const HOURS_MS = 3 * 60 * 60 * 1000

it.scopedLive(
  "every byte of a log of 50 events, and of its segment: a bit of it that is another is found, or no read answers otherwise",
  () =>
    Effect.gen(function* () {
      const filename = path.join(yield* temporaryDirectory, "log.db")
      const log = yield* subject({ filename, events: 50, pageBytes: 1024 })
      const flips = everyByte(log)
      const seen = yield* tally(log, flips)
      expect(seen.found + seen.refused + seen.answered).toBe(flips.length)
      expect(seen.found).toBeGreaterThan(flips.length / 2)
    }),
  HOURS_MS,
)
