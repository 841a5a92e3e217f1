/** The command `hindcast play`: a person plays a world. To the log, the person is an agent like any other. */
import { Command } from "@effect/cli"
import { Effect, Option, Schema } from "effect"
import { newId } from "../../events/vocabulary/Event.ts"
import { Kernel } from "../../kernel/Kernel.ts"
import { userName } from "../../platform/user/Machine.ts"
import { JsonObject } from "../../values/Json.ts"
import { oneLine } from "../../values/PlainText.ts"
import * as CommandHints from "../command/CommandHints.ts"
import { argument, common, given, optionalText, sandbox, workspace } from "../command/CommonOptions.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as AgentAtWork from "../task/AgentAtWork.ts"
import { workOptions } from "../task/RunCommand.ts"
import * as Scenario from "../task/Scenario.ts"
import { count, number } from "../terminal/Text.ts"
import * as Player from "./Player.ts"
import * as Position from "./Position.ts"
import * as Seat from "./Seat.ts"
import * as WorldToPlay from "./WorldToPlay.ts"

const options = {
  ...common,
  world: argument("world", "The directory of a plugin to import, or the name of an imported plugin"),
  options: optionalText("options", "Options of the world: a JSON object, or a YAML or JSON file"),
  goal: optionalText("goal", "The task's goal. Default: to play the world"),
  seed: workOptions.seed,
  sandbox,
  workspace,
  trustLog: workOptions.trustLog,
}

export const play = Command.make("play", options, ({ log, json, sandbox, workspace, seed, trustLog, ...typed }) =>
  Effect.gen(function* () {
    const { open, name: filename } = yield* OpenLog.placeOf(log)
    // The person decides about each action by taking it, so no gate asks.
    const kernel = yield* AgentAtWork.kernel("play", open, {
      gate: "allow",
      confirmWithinMs: Option.none(),
      sandbox,
      workspace,
      seed,
      trustLog,
      json,
    })
    const played = Effect.gen(function* () {
      const environment = Option.isSome(typed.options) ? yield* optionsOf(typed.options.value) : {}
      const world = yield* WorldToPlay.find(typed.world, json)
      const id = newId()
      const goal = Option.getOrElse(typed.goal, () => `Play ${world.title}`)
      const { audit, position, mistake, seat } = yield* Effect.gen(function* () {
        const seat = yield* Seat.take(world, json)
        const player = yield* Player.make(world, userName(), seat)
        const audit = yield* (yield* Kernel).tasks.run(player.agent, {
          id,
          goal,
          plugins: [world.plugin],
          maxSteps: STEPS,
          environment: { [world.plugin]: environment },
          ...given({ seed }),
        })
        const position = yield* Position.read(world, id, yield* player.last)
        return { audit, position, mistake: yield* player.mistake, seat }
      }).pipe(Effect.scoped)
      if (mistake !== undefined) return yield* mistake
      yield* seat.end({ taskId: id, position, readings: {} })
      if (json) return
      const style = Output.styleOf(process.stdout)
      const ended = `${audit.outcome} after ${count(position.step, "step")}, return ${number(position.return)}`
      const hint = CommandHints.command(["audit", id, "--log", CommandHints.shortest(filename)])
      yield* Output.write(`${style.bold(oneLine(world.title))}: ${ended}`)
      yield* Output.write(style.dim(`Task ${id}: ${hint}`))
    })
    yield* Effect.provide(played, kernel)
  }).pipe(Effect.scoped),
).pipe(
  Command.withDescription(
    "Play a world in the terminal; without a terminal, read one action per line. For example: hindcast play ./frozen-lake --seed 7",
  ),
)

/** Practically no limit: the world or the person ends the game. */
const STEPS = 1_000_000_000

export const optionsOf = (typed: string) => {
  const parsed = Schema.decodeUnknownOption(Schema.parseJson(JsonObject))(typed)
  return Option.isSome(parsed) ? Effect.succeed(parsed.value) : Scenario.readOptions(typed)
}
