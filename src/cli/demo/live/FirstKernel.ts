/**
 * The first kernel of the story, as a process of its own so that it can be killed. It is this program, with a command
 * that is in no list. It ends when its parent process is gone.
 */
import { Args, Command } from "@effect/cli"
import { Effect, Schema } from "effect"
import { Kernel } from "../../../kernel/Kernel.ts"
import * as Mending from "./Mending.ts"

/** The command's word. */
export const COMMAND = "demo-kernel"

/** The command's argument. */
export const Start = Schema.Struct({ place: Mending.Place, cast: Mending.Cast })

export type Start = typeof Start.Type

/** Succeeds when the standard input ends: the parent process is gone. */
const parentGone = Effect.async<void>((resume) => {
  process.stdin
    .on("end", () => resume(Effect.void))
    .on("error", () => resume(Effect.void))
    .resume()
})

/** `hindcast demo-kernel START`: lets the agent work until it is done or this process is killed. */
export const firstKernel = Command.make(COMMAND, { start: Args.text({ name: "start" }) }, ({ start }) =>
  Effect.gen(function* () {
    const { place, cast } = yield* Schema.decodeUnknown(Schema.parseJson(Start))(start)
    const agent = yield* Mending.agent(cast)
    const work = Effect.gen(function* () {
      yield* (yield* Kernel).tasks.run(agent, { goal: Mending.GOAL, plugins: Mending.PLUGINS })
    })
    yield* Effect.raceFirst(Effect.provide(work, Mending.kernel(place)), parentGone)
  }),
)
