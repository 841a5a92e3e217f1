/** The command `hindcast rollout`: many episodes of one world by one policy. */
import { Args, Command, Options } from "@effect/cli"
import { Effect, Option } from "effect"
import { Kernel } from "../../kernel/Kernel.ts"
import { visible } from "../../values/PlainText.ts"
import * as Sum from "../../values/Sum.ts"
import * as Rollout from "../../worlds/rollout/Rollout.ts"
import { BadInput } from "../command/BadInput.ts"
import * as CommandHints from "../command/CommandHints.ts"
import { common, given, oneOf, optionalText, sandbox, wholeNumber, workspace } from "../command/CommonOptions.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as AgentAtWork from "../task/AgentAtWork.ts"
import { workOptions } from "../task/RunCommand.ts"
import { count, json as jsonText, number } from "../terminal/Text.ts"
import { optionsOf } from "./PlayCommand.ts"
import * as WorldToPlay from "./WorldToPlay.ts"

const optional = (name: string, least: number, description: string) =>
  wholeNumber(name, least).pipe(Options.withDescription(description), Options.optional)

const options = {
  ...common,
  world: Args.text({ name: "world" }).pipe(
    Args.withDescription(
      "The directory of a plugin to import, or the name of an imported plugin; none with --continue",
    ),
    Args.optional,
  ),
  policy: optionalText(
    "policy",
    "A JavaScript module whose default export is a policy: a function from what the agent sees to an action",
  ),
  episodes: optional("episodes", 1, "The number of episodes. Default: 1"),
  continued: optionalText("continue", "Continue the rollout with this id, which an error, a signal or a crash ended"),
  seed: optional("seed", 0, "The seed of the first episode; the others follow by one. Default: 0"),
  parallel: optional("parallel", 1, "Maximum number of episodes at a time, in one process. Default: 8"),
  record: oneOf("record", ["compact", "full"]).pipe(
    Options.withDescription(
      "compact: one event holds many steps; full: each step is recorded by itself. Default: compact",
    ),
    Options.optional,
  ),
  autoreset: oneOf("autoreset", ["Disabled", "NextStep", "SameStep"]).pipe(
    Options.withDescription(
      "Disabled: each episode has a seed of its own; NextStep, SameStep: the next episode in a place continues the random numbers of the one before, as in Gymnasium. Default: Disabled",
    ),
    Options.optional,
  ),
  options: optionalText("options", "Options of the world: a JSON object, or a YAML or JSON file"),
  maxSteps: optional("max-steps", 1, "Ends each episode after this many steps. Default: the world's own limit"),
  gate: workOptions.gate,
  sandbox,
  workspace,
  trustLog: workOptions.trustLog,
}

export const rollout = Command.make("rollout", options, ({ log, json, sandbox, workspace, gate, trustLog, ...typed }) =>
  Effect.gen(function* () {
    const missing = (input: string, expected: string) =>
      new BadInput({ input, expected, found: "none", advice: "`hindcast rollout --help` shows an example." })
    if (Option.isNone(typed.policy)) return yield* missing("--policy", "a JavaScript module with a policy")
    if (Option.isNone(typed.world) && Option.isNone(typed.continued)) {
      return yield* missing("WORLD", "a world, or --continue with a rollout's id")
    }
    const file = typed.policy.value
    const { open, name: filename } = yield* OpenLog.placeOf(log)
    const kernel = yield* AgentAtWork.kernel("rollout", open, {
      gate,
      confirmWithinMs: Option.none(),
      sandbox,
      workspace,
      trustLog,
      json,
    })
    const style = Output.styleOf(process.stdout)
    const told = (result: Rollout.EpisodeResult) =>
      json
        ? Output.write(jsonText(result))
        : Output.write(
            `episode ${result.episode}: ${result.outcome} after ${count(result.steps, "step")}, return ${number(result.return)}  ${style.dim(result.taskId)}`,
          )
    const played = Effect.gen(function* () {
      if (Option.isSome(typed.continued)) {
        return yield* Rollout.resume(typed.continued.value, yield* Rollout.loadPolicy(file), told)
      }
      const { plugin } = yield* WorldToPlay.find(
        Option.getOrElse(typed.world, () => ""),
        json,
      )
      const policy = yield* Rollout.loadPolicy(file)
      const { episodes, seed, parallel, record, autoreset, maxSteps } = typed
      const environment = Option.isSome(typed.options) ? { options: yield* optionsOf(typed.options.value) } : {}
      return yield* Rollout.run(
        {
          world: plugin,
          policy,
          episodes: Option.getOrElse(episodes, () => 1),
          ...environment,
          ...given({ seed, parallel, record, autoreset, maxSteps }),
        },
        told,
      )
    })
    // The policy's code runs only once the log is trusted.
    const result = yield* Effect.provide(Effect.zipRight(Kernel, played), kernel)
    const { rolloutId, steps, episodes } = result
    if (json) return yield* Output.write(jsonText({ rolloutId, episodes: episodes.length, steps }))
    const mean = Sum.of(episodes.map((episode) => episode.return)) / episodes.length
    const hint = CommandHints.command(["audit", "--trend", "--log", CommandHints.shortest(filename)])
    yield* Output.write(
      `${style.bold(`Rollout ${visible(rolloutId)}`)}: ${count(episodes.length, "episode")}, ${count(steps, "step")}, mean return ${number(mean)}`,
    )
    yield* Output.write(style.dim(hint))
  }).pipe(Effect.scoped),
).pipe(
  Command.withDescription(
    "Let a policy play many episodes of a world, recorded in compact form. For example: hindcast rollout cart-pole --policy policy.mjs --episodes 100",
  ),
)
