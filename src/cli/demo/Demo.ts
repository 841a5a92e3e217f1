/** The command `hindcast demo`: a tour of Hindcast with real agents and plugins, or the log of a season of many tasks. */
import * as path from "node:path"
import { Command, Options } from "@effect/cli"
import { Effect, Option } from "effect"
import { SeasonPage, Story, showSteps, Tour } from "#demo"
import * as Season from "#season"
import type { WantedTier } from "../../plugins/sandbox/Tier.ts"
import { BadInput } from "../command/BadInput.ts"
import { flag, given, json, optionalText, sandbox, wholeNumber } from "../command/CommonOptions.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as PackageFiles from "../command/PackageFiles.ts"
import * as Prompter from "../task/Prompter.ts"
import * as ProgressLine from "../terminal/ProgressLine.ts"
import * as DemoDirectory from "./DemoDirectory.ts"
import * as DemoStage from "./DemoStage.ts"
import * as PythonPlugin from "./PythonPlugin.ts"

/** The default path of the demo's log. It is separate from the user's own log. */
const LOG = path.join(".hindcast", "demo.db")

/** The default path of the live demo's. */
const LIVE_LOG = path.join(".hindcast", "demo-live.db")

/** With this seed the wanderer repeats refused commands, finds the key, and runs out of steps. */
const SEED = 4

const options = {
  json,
  log: Options.text("log").pipe(
    Options.withDescription(
      `The log's file. An existing log is continued; with --tasks, the file must not exist. Default: HINDCAST_LOG, else ${LOG}; with --tasks, another name`,
    ),
    Options.optional,
  ),
  seed: wholeNumber("seed", 0).pipe(
    Options.withDescription(`Seeds the agents' randomness. Default: ${SEED}`),
    Options.withDefault(SEED),
  ),
  tasks: wholeNumber("tasks", 1).pipe(
    Options.withDescription(
      "Instead of the tour, write a log of this many tasks to explore: several agents and worlds, and a crash in the middle",
    ),
    Options.optional,
  ),
  live: flag(
    "live",
    "Instead of the tour, an agent with a language model, whose turns were written by hand: it mends a failing test, its kernel is killed and the next goes on, and another model is given the same moment",
  ),
  directory: optionalText(
    "directory",
    "With --live: a new or an empty directory for the repository, which is kept. Default: a temporary one",
  ),
  model: optionalText("model", "With --live: a provider's model to ask instead, as provider/model"),
  otherModel: optionalText("other-model", "With --live and --model: the model of the fork. Default: the same"),
  sandbox,
  ask: Options.boolean("ask").pipe(
    Options.withDescription("Ask you at the terminal for the confirmation. Default: another process answers"),
  ),
}

/** `hindcast demo` */
export const demo = Command.make("demo", options, ({ tasks, ...typed }) =>
  Effect.gen(function* () {
    yield* checkOptions(tasks, typed)
    if (typed.live) yield* tellStory(typed)
    else if (Option.isSome(tasks)) yield* writeSeason(tasks.value, typed)
    else yield* runTour(typed)
  }),
).pipe(
  Command.withDescription(
    "See what Hindcast does, in a few seconds: play, confirm, audit, look back, re-score, verify",
  ),
)

interface DemoInput {
  readonly log: Option.Option<string>
  readonly json: boolean
  readonly sandbox: WantedTier
  readonly directory: Option.Option<string>
  readonly model: Option.Option<string>
  readonly otherModel: Option.Option<string>
  readonly live: boolean
  readonly seed: number
  readonly ask: boolean
}

/** Refuses options that the chosen demo does not have. */
const checkOptions = (tasks: Option.Option<number>, { live, directory, model, otherModel }: DemoInput) =>
  Effect.suspend(() => {
    const [only] = Object.keys(given({ directory, model, "other-model": otherModel }))
    if (live && Option.isSome(tasks)) {
      return new BadInput({ input: "--live, --tasks", expected: "one of them", found: "both" })
    }
    if (!live && only !== undefined) {
      return new BadInput({ input: `--${only}`, expected: "--live beside it", found: "none" })
    }
    return Option.isSome(otherModel) && Option.isNone(model)
      ? new BadInput({ input: "--other-model", expected: "--model beside it", found: "none" })
      : Effect.void
  })

/** Writes a log of many tasks and prints its contents. */
const writeSeason = (tasks: number, { log, json, seed, sandbox }: DemoInput) =>
  Effect.gen(function* () {
    if (tasks > MAX_TASKS) {
      return yield* new BadInput({
        input: "--tasks",
        expected: `at most ${MAX_TASKS}`,
        found: String(tasks),
        advice: "Ten take about a second.",
      })
    }
    const filename = yield* logOf(log, path.join(".hindcast", `demo-${tasks}-${seed}.db`))
    const season = yield* ProgressLine.during({ verb: "done", unit: "tasks", json }, (onProgress) =>
      Season.write({ filename, tasks, seed, sandbox, onProgress }),
    )
    const stage = DemoStage.onOutput()
    const next = SeasonPage.suggestions(stage.user, filename)
    yield* Output.show(json, { log: filename, tasks, seed, ...season, next }, () =>
      SeasonPage.lines(stage, { log: filename, ...season }),
    )
    if (!json) yield* showSteps(stage, next)
  })

/** Maximum number of tasks. More would take too long. */
const MAX_TASKS = 10_000

/** The log that was named, by an option or the environment, else this one. */
const logOf = (log: Option.Option<string>, otherwise: string) =>
  OpenLog.fileOf(Option.orElseSome(log, () => process.env.HINDCAST_LOG || otherwise))

/** Runs the tour and prints each part. */
const runTour = ({ log, json, seed, sandbox, ask }: DemoInput) =>
  Effect.gen(function* () {
    const filename = yield* logOf(log, LOG)
    const stage = json ? DemoStage.silent() : DemoStage.onOutput()
    const workspace = PackageFiles.workspace()
    const askPerson = ask && !json && Prompter.isPossible()
    const found = yield* Tour.give(stage, { filename, workspace, seed, sandbox, askPerson })
    yield* stage.say(...PythonPlugin.missing().flatMap((line) => ["", line]))
    if (json) yield* Output.show(json, found, () => [])
  })

/** Tells the story of the live demo. */
const tellStory = ({ log, json, sandbox, directory, model, otherModel }: DemoInput) =>
  Effect.gen(function* () {
    const filename = yield* logOf(log, LIVE_LOG)
    const stage = json ? DemoStage.silent() : DemoStage.onOutput()
    const models = Option.map(model, (first) => ({ first, other: Option.getOrElse(otherModel, () => first) }))
    const found = yield* Story.tell(stage, {
      filename,
      sandbox,
      directory: yield* DemoDirectory.place(directory),
      askPerson: !json && Prompter.isPossible(),
      ...(Option.isSome(models) ? { models: models.value } : {}),
    })
    if (json) yield* Output.show(json, found, () => [])
  }).pipe(Effect.scoped)
