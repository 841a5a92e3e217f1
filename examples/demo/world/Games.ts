/** Part 1 of the tour: two agents play a text adventure. */
import { pathToFileURL } from "node:url"
import { Effect, Fiber } from "effect"
import { Agent, EventLog, Kernel } from "hindcast"
import { inPackage } from "../../PackageFiles.ts"
import type { Stage } from "../Stage.ts"
import * as Trace from "./Trace.ts"

/** Enough for the agent that knows the way, too few for the wanderer. */
const MAX_STEPS = 25

const GOAL = "Take the document out of the locked desk"

/** Returns the audits of both games. */
export const play = (stage: Stage) =>
  Effect.gen(function* () {
    yield* stage.part(
      "1  Two agents play The Lost Key",
      "A text adventure, run by a plugin in a sandbox. One agent knows the way, one wanders at random.",
      "Every reading, decision, command and outcome is an event in the log before anything follows from it.",
    )
    const kernel = yield* Kernel.Kernel
    yield* kernel.plugins.import(inPackage("plugins", "text-room"))
    return {
      expert: yield* playOne(stage, "knows-the-way"),
      wanderer: yield* playOne(stage, "wanderer"),
    }
  })

const playOne = (stage: Stage, name: string) =>
  Effect.gen(function* () {
    const kernel = yield* Kernel.Kernel
    const file = inPackage("examples", "agents", `${name}.mjs`)
    const module = yield* Effect.promise((): Promise<{ default?: unknown }> => import(pathToFileURL(file).href))
    const agent = yield* Agent.fromUnknown(file, module.default)
    const { position } = yield* (yield* EventLog.EventLog).head
    yield* stage.say(`${stage.style.name(name)} plays:`)
    const trace = yield* Effect.fork(Trace.follow(position, stage))
    const audit = yield* kernel.tasks.run(agent, { goal: GOAL, plugins: ["text-room"], maxSteps: MAX_STEPS })
    yield* Fiber.join(trace)
    return audit
  })
