import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import { SEED, seeded } from "../events/faults/random.ts"
import { campaign, type Death } from "../listeners/killing.ts"

const KILLS = 200

/** Each campaign has a log of its own. */
const KILLS_A_LOG = 25

/** The longest life, in commits. */
const MOST_COMMITS = 60

describe("a process that serves a webhook, killed with SIGKILL while signals come", () => {
  it.live(
    `loses no acknowledged signal and handles none twice, after ${KILLS} kills (HINDCAST_SEED=${SEED})`,
    () =>
      Effect.gen(function* () {
        const random = seeded(SEED)
        for (let kills = 0; kills < KILLS; kills += KILLS_A_LOG) {
          const deaths = Array.from({ length: KILLS_A_LOG }, (): Death => {
            const commits = 1 + Math.floor(random() * MOST_COMMITS)
            return { commits, moment: random() < 0.5 ? "before" : "after" }
          })
          const signals = yield* campaign(deaths)
          expect(signals).toBeGreaterThan(0)
          process.stdout.write(`${kills + KILLS_A_LOG} kills, ${signals} signals\n`)
        }
      }),
    { timeout: 3_600_000 },
  )
})
