/** The story's first kernel, in its own process so that it can be killed. It ends with its parent process. */
import { Effect, Schema } from "effect"
import { Kernel } from "hindcast"
import type { User } from "../Stage.ts"
import * as Mending from "./Mending.ts"

export const Start = Schema.Struct({ taskId: Schema.String, place: Mending.Place, cast: Mending.Cast })

export type Start = typeof Start.Type

/** Succeeds when the standard input ends: the parent process is gone. */
const parentGone = Effect.async<void>((resume) => {
  process.stdin
    .on("end", () => resume(Effect.void))
    .on("error", () => resume(Effect.void))
    .resume()
})

/** Runs the agent until it is done or this process is killed. `start` is a `Start` as JSON. */
export const run = (user: User, start: string) =>
  Effect.gen(function* () {
    const { taskId, place, cast } = yield* Schema.decodeUnknown(Schema.parseJson(Start))(start)
    const agent = yield* Mending.agent(user, cast)
    const work = Effect.gen(function* () {
      yield* (yield* Kernel.Kernel).tasks.run(agent, { id: taskId, goal: Mending.GOAL, plugins: Mending.PLUGINS })
    })
    yield* Effect.raceFirst(Effect.provide(work, Mending.kernel(user, place)), parentGone)
  })
