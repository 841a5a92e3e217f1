import * as path from "node:path"
import { it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import { byKind, subject, tally } from "../events/flips.ts"
import { temporaryDirectory } from "../temporary.ts"

const HOURS_MS = 3 * 60 * 60 * 1000

const FLIPS = 5000

it.scopedLive(
  `${FLIPS} bytes of a log of 520 events, of all kinds of pages: a bit of it that is another is found, or no read answers otherwise`,
  () =>
    Effect.gen(function* () {
      const log = yield* subject({ filename: path.join(yield* temporaryDirectory, "log.db"), events: 520 })
      const seen = yield* tally(log, byKind(log, FLIPS))
      expect(seen.found).toBeGreaterThan(FLIPS / 2)
    }),
  HOURS_MS,
)
