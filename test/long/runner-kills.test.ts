import { Effect } from "effect"
import { expect, it } from "vitest"
import { all, assertWhole, killRunners, trial } from "../postgres/runnerTrial.ts"
import { schema, urlOf } from "../postgres/server.ts"

const STEPS = 6
const KILLS = 200
const HOUR_MS = 3_600_000

it(
  "200 killed runners lose nothing that was acknowledged, and repeat no command",
  () =>
    Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const given = yield* trial(yield* Effect.flatMap(schema, (name) => Effect.promise(() => urlOf(name))), STEPS)
          yield* Effect.gen(function* () {
            const ids = yield* killRunners(given, KILLS)
            const { resumed } = yield* assertWhole(ids, STEPS, given.marks())
            expect(resumed).toBeGreaterThanOrEqual(KILLS / 2)
            expect((yield* all(["RunnerLost"])).length).toBe(KILLS)
          }).pipe(Effect.provide(given.layer))
        }),
      ),
    ),
  HOUR_MS,
)
