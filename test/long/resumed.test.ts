import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import { type Kill, killedAndResumed } from "../e2e/resumed.ts"
import { SEED, seeded } from "../events/faults/random.ts"

/** How many tasks are at work at once. */
const LANES = 2

/** Most commits of a kernel that runs the task from its beginning to its end. */
const MOST_COMMITS = 200

const RANDOM_KILLS = 200

/** Most kills of one task. */
const KILLS_A_TASK = 5

const say = (line: string) => process.stdout.write(`${line}\n`)

describe("a task of an agent with a model, whose kernel is killed with SIGKILL", () => {
  it.scopedLive.each(["before", "after"] as const)(
    "%s each of its commits, is resumed to its end",
    (moment) =>
      Effect.gen(function* () {
        let next = 1
        let last = Number.POSITIVE_INFINITY
        const lane = Effect.gen(function* () {
          while (next < last && next < MOST_COMMITS) {
            const commits = next++
            const lives = yield* killedAndResumed([{ commits, moment }])
            if (lives[0]?.killed === false) last = Math.min(last, commits)
            else say(`killed ${moment} commit ${commits}, after ${lives[0]?.last}`)
          }
        })
        yield* Effect.all(
          Array.from({ length: LANES }, () => lane),
          { concurrency: LANES },
        )
        say(`killed ${moment} each of ${last - 1} commits`)
        expect(last).toBeGreaterThan(25)
        expect(last).toBeLessThan(MOST_COMMITS)
      }),
    { timeout: 3_600_000 },
  )

  it.scopedLive(
    `at ${RANDOM_KILLS} random moments, is resumed to its end (HINDCAST_SEED=${SEED})`,
    () =>
      Effect.gen(function* () {
        const random = seeded(SEED)
        let killed = 0
        let tasks = 0
        const lane = Effect.gen(function* () {
          while (killed < RANDOM_KILLS) {
            const lives = yield* killedAndResumed(Array.from({ length: KILLS_A_TASK }, () => anyKill(random)))
            killed += lives.filter((life) => life.killed).length
            tasks += 1
            say(`${killed} kills of ${tasks} tasks; after ${lives.map(({ last }) => last).join(", ")}`)
          }
        })
        yield* Effect.all(
          Array.from({ length: LANES }, () => lane),
          { concurrency: LANES },
        )
        expect(killed).toBeGreaterThanOrEqual(RANDOM_KILLS)
      }),
    { timeout: 3_600_000 },
  )
})

/** After a commit, or at a time after an event that is seen from outside. */
const anyKill = (random: () => number): Kill => {
  const below = (most: number) => Math.floor(random() * most)
  if (below(2) === 0) return { events: 1 + below(30), ms: below(150) }
  return { commits: 1 + below(35), moment: below(2) === 0 ? "before" : "after" }
}
