/** Part 1 of the demo: two agents play a text adventure. */
import { Effect, Fiber } from "effect"
import { EventLog } from "../../events/log/EventLog.ts"
import { Kernel } from "../../kernel/Kernel.ts"
import { inPackage } from "../command/PackageFiles.ts"
import * as AgentModule from "../task/AgentModule.ts"
import type { Narrator } from "./Narrator.ts"
import * as Trace from "./Trace.ts"

/** Maximum steps of a game: enough for the agent that knows the way, too few for the wanderer. */
const MAX_STEPS = 25

const GOAL = "Take the document out of the locked desk"

/** Two agents play The Lost Key, each in an environment of its own. Returns their audits; `expert` knows the way. */
export const play = (narrator: Narrator) =>
  Effect.gen(function* () {
    yield* narrator.part(
      "1  Two agents play The Lost Key",
      "A text adventure, run by a plugin in a sandbox. One agent knows the way, one wanders at random.",
      "Every reading, decision, command and outcome is an event in the log before anything follows from it.",
    )
    const kernel = yield* Kernel
    yield* kernel.plugins.import(inPackage("plugins", "text-room"))
    return {
      expert: yield* playOne(narrator, "knows-the-way"),
      wanderer: yield* playOne(narrator, "wanderer"),
    }
  })

const playOne = (narrator: Narrator, name: string) =>
  Effect.gen(function* () {
    const kernel = yield* Kernel
    const agent = yield* AgentModule.load(inPackage("examples", "agents", `${name}.mjs`))
    const { position } = yield* (yield* EventLog).head
    yield* narrator.say(`${narrator.style.name(name)} plays:`)
    const trace = yield* Effect.fork(Trace.follow(position, narrator))
    const audit = yield* kernel.tasks.run(agent, { goal: GOAL, plugins: ["text-room"], maxSteps: MAX_STEPS })
    yield* Fiber.join(trace)
    return audit
  })
