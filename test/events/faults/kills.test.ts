import * as path from "node:path"
import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import { temporaryDirectory } from "../../temporary.ts"
import { killWriters } from "./kills.ts"
import { SEED } from "./random.ts"

/** Two hundred kills are in `test/long/`. */
describe(`writers killed with SIGKILL at random moments (HINDCAST_SEED=${SEED})`, () => {
  it.scopedLive.each([
    ["who have the log alone", 0, false],
    ["while another process has it open", 1, true],
  ] as const)("%s, lose no acknowledged event, double none, and leave no gap", ([, index, attended]) =>
    Effect.gen(function* () {
      const filename = path.join(yield* temporaryDirectory, "log.db")
      const kills = yield* killWriters(filename, SEED + index, 3, attended)
      expect(kills).toHaveLength(3)
      expect(kills.at(-1)?.events).toBeGreaterThan(0)
    }),
  )
})
