import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import { campaign } from "../agents/teams/killing.ts"
import { SEED, seeded } from "../events/faults/random.ts"

const KILLS = 200

/** The longest life, in commits. */
const MOST_COMMITS = 40

describe("a process that runs a tree of tasks with memories, killed with SIGKILL", () => {
  it.live(
    `resumes the tree as a whole, counts each cost once and stores each memory once, after ${KILLS} kills (HINDCAST_SEED=${SEED})`,
    () =>
      Effect.gen(function* () {
        const random = seeded(SEED)
        const { kills } = yield* campaign(
          KILLS,
          () => ({ commits: 1 + Math.floor(random() * MOST_COMMITS), moment: random() < 0.5 ? "before" : "after" }),
          (sofar) => process.stdout.write(`${sofar.kills} kills, ${sofar.trees} trees\n`),
        )
        expect(kills).toBeGreaterThanOrEqual(KILLS)
      }),
    { timeout: 3_600_000 },
  )
})
