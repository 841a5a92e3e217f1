import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import {
  all,
  approving,
  assertOnce,
  assertWhole,
  killRunners,
  submitKinds,
  trial,
  WORLD,
} from "../postgres/runnerTrial.ts"
import { schema, urlOf } from "../postgres/server.ts"

const STEPS = 6
/** Fewer on a busy machine. */
const KILLS = Number(process.env.HINDCAST_KILLS ?? 200)
const HOURS_MS = 2 * 3_600_000

const given = Effect.flatMap(schema, (name) => Effect.promise(() => urlOf(name))).pipe(
  Effect.flatMap((url) => trial(url, STEPS)),
)

describe(`${KILLS} killed runners lose nothing that was acknowledged, and repeat no command`, () => {
  it(
    "of tasks with commands",
    () =>
      Effect.runPromise(
        Effect.scoped(
          Effect.flatMap(given, (trial) =>
            Effect.gen(function* () {
              const ids = yield* killRunners(trial, KILLS)
              const { resumed } = yield* assertWhole(ids, STEPS, trial.marks())
              expect(resumed).toBeGreaterThanOrEqual(KILLS / 2)
              expect((yield* all(["RunnerLost"])).length).toBe(KILLS)
            }).pipe(Effect.provide(trial.layer)),
          ),
        ),
      ),
    HOURS_MS,
  )

  it(
    "of tasks with commands, approvals, a world and a model",
    () =>
      Effect.runPromise(
        Effect.scoped(
          Effect.flatMap(given, (trial) =>
            Effect.gen(function* () {
              yield* approving
              const ids = yield* killRunners(trial, KILLS, 1, { submit: submitKinds, world: WORLD })
              const { ended, unknown, resumed } = yield* assertOnce(ids, trial.marks())
              process.stdout.write(
                `${KILLS} kills, ${ids.length} tasks: ${ended} commands, ${unknown} in doubt, ${resumed} resumed\n`,
              )
              expect(resumed).toBeGreaterThanOrEqual(KILLS / 2)
              expect((yield* all(["RunnerLost"])).length).toBe(KILLS)
              const kinds = ["ConfirmationDecided", "ModelResponded", "RewardGiven"]
              for (const kind of kinds) expect((yield* all([kind])).length).toBeGreaterThan(0)
            }).pipe(Effect.provide(trial.layer)),
          ),
        ),
      ),
    HOURS_MS,
  )
})
