/**
 * The command `hindcast demo`: the story of an agent that fixes a test, a tour of a text adventure, or a log of many
 * tasks.
 */
import * as path from "node:path"
import { Command, Options } from "@effect/cli"
import { Effect, Option } from "effect"
import { SeasonPage, Story, showSteps, Tour } from "#demo"
import * as Season from "#season"
import * as ServerUrl from "../../events/log/ServerUrl.ts"
import type { WantedTier } from "../../plugins/sandbox/Tier.ts"
import { defined } from "../../values/defined.ts"
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

const LOG = path.join(".hindcast", "demo.db")
const WORLD_LOG = path.join(".hindcast", "demo-world.db")

/** With this seed the wanderer repeats refused commands, finds the key, and runs out of steps. */
const SEED = 4

/** Columns of the story, which fits every terminal, and of the wider tables of the tour and the season. */
const WIDTH = 80
const TABLES_WIDTH = 100

const options = {
  json,
  log: Options.text("log").pipe(
    Options.withDescription(
      `The log's file, or its URL on a PostgreSQL server. An existing log is continued; with --tasks, it is a file that must not exist. Default: HINDCAST_LOG, else ${LOG}; with --world and --tasks, other names`,
    ),
    Options.optional,
  ),
  directory: optionalText(
    "directory",
    "A new or empty directory that keeps the agent's repository. Default: a temporary one",
  ),
  model: optionalText("model", "A provider's model to call, as provider/model, instead of prepared turns"),
  otherModel: optionalText("other-model", "With --model: the model of the fork. Default: the same"),
  world: flag(
    "world",
    "Another demo: two agents play a text adventure, a plugin looks at this directory, and commands audit, explain and rescore the log",
  ),
  tasks: wholeNumber("tasks", 1).pipe(
    Options.withDescription(
      "Another demo: write a log of this many tasks to explore, of several agents and worlds, with a crash in the middle",
    ),
    Options.optional,
  ),
  seed: wholeNumber("seed", 0).pipe(
    Options.withDescription(`With --world or --tasks: the seed of the agents' randomness. Default: ${SEED}`),
    Options.optional,
  ),
  sandbox,
  ask: Options.boolean("ask").pipe(
    Options.withDescription("Ask you at the terminal before the agent writes a file. Default: another process answers"),
  ),
  live: flag("live", "The name of this demo before 0.3.1; it has no effect"),
}

export const demo = Command.make("demo", options, (typed) =>
  Effect.gen(function* () {
    yield* checkOptions(typed)
    if (Option.isSome(typed.tasks)) yield* writeSeason(typed.tasks.value, typed)
    else if (typed.world) yield* runTour(typed)
    else yield* tellStory(typed)
  }),
).pipe(
  Command.withDescription(
    "See Hindcast at work in a few seconds: an agent fixes a failing test, is killed and resumes, and you look back at its steps",
  ),
)

interface DemoInput {
  readonly log: Option.Option<string>
  readonly json: boolean
  readonly sandbox: WantedTier
  readonly directory: Option.Option<string>
  readonly model: Option.Option<string>
  readonly otherModel: Option.Option<string>
  readonly world: boolean
  readonly tasks: Option.Option<number>
  readonly live: boolean
  readonly seed: Option.Option<number>
  readonly ask: boolean
}

const checkOptions = ({ tasks, world, live, directory, model, otherModel, seed }: DemoInput) =>
  Effect.suspend(() => {
    const demos = [
      ...(live ? ["--live"] : []),
      ...(world ? ["--world"] : []),
      ...(Option.isSome(tasks) ? ["--tasks"] : []),
    ]
    if (demos.length > 1) return new BadInput({ input: demos.join(", "), expected: "one of them", found: "both" })
    const isStory = !world && Option.isNone(tasks)
    const [only] = Object.keys(given({ directory, model, "other-model": otherModel }))
    if (!isStory && only !== undefined) {
      return new BadInput({
        input: `--${only}`,
        expected: `no ${demos.join("")}, which has no such option`,
        found: "it",
      })
    }
    if (isStory && Option.isSome(seed)) {
      return new BadInput({ input: "--seed", expected: "--world or --tasks with it", found: "neither" })
    }
    return Option.isSome(otherModel) && Option.isNone(model)
      ? new BadInput({ input: "--other-model", expected: "--model with it", found: "none" })
      : Effect.void
  })

const seedOf = ({ seed }: DemoInput): number => Option.getOrElse(seed, () => SEED)

const writeSeason = (tasks: number, typed: DemoInput) =>
  Effect.gen(function* () {
    const { log, json, sandbox } = typed
    const seed = seedOf(typed)
    if (tasks > MAX_TASKS) {
      return yield* new BadInput({
        input: "--tasks",
        expected: `at most ${MAX_TASKS}`,
        found: String(tasks),
        advice: "Ten take about a second.",
      })
    }
    const filename = yield* OpenLog.fileOf(named(log, path.join(".hindcast", `demo-${tasks}-${seed}.db`)))
    const season = yield* ProgressLine.during({ verb: "done", unit: "tasks", json }, (onProgress) =>
      Season.write({ filename, tasks, seed, sandbox, onProgress }),
    )
    const stage = DemoStage.onOutput(TABLES_WIDTH)
    const next = SeasonPage.suggestions(stage.user, filename)
    yield* Output.show(json, { log: filename, tasks, seed, ...season, next }, () =>
      SeasonPage.lines(stage, { log: filename, ...season }),
    )
    if (!json) yield* showSteps(stage, next)
  })

const MAX_TASKS = 10_000

const named = (log: Option.Option<string>, otherwise: string) =>
  Option.orElseSome(log, () => process.env.HINDCAST_LOG || otherwise)

/** A file, or a URL without a password: the demo names its log in the arguments of the commands that it runs. */
const logOf = (log: Option.Option<string>, otherwise: string) =>
  Effect.flatMap(OpenLog.placeOf(named(log, otherwise)), ({ open, name }) =>
    ServerUrl.isAddress(open) && new URL(open).password !== ""
      ? new BadInput({
          input: name,
          expected: "a URL without a password, because the demo names its log in the arguments of commands",
          found: "one with a password",
          advice: "Set PGPASSWORD, or write a file that PGPASSFILE names (~/.pgpass).",
        })
      : Effect.succeed(open),
  )

const runTour = (typed: DemoInput) =>
  Effect.gen(function* () {
    const { log, json, sandbox, ask } = typed
    const filename = yield* logOf(log, WORLD_LOG)
    const stage = json ? DemoStage.silent() : DemoStage.onOutput(TABLES_WIDTH)
    const workspace = PackageFiles.workspace()
    const askPerson = ask && !json && Prompter.isPossible()
    const found = yield* Tour.give(stage, { filename, workspace, seed: seedOf(typed), sandbox, askPerson })
    yield* stage.say(...PythonPlugin.missing().flatMap((line) => ["", line]))
    if (json) yield* Output.show(json, found, () => [])
  })

/** Tells the story. With a provider's model, asks the person at the terminal. */
const tellStory = ({ log, json, directory, model, otherModel, ask }: DemoInput) =>
  Effect.gen(function* () {
    const filename = yield* logOf(log, LOG)
    const stage = json ? DemoStage.silent() : DemoStage.onOutput(WIDTH)
    const models = Option.map(model, (first) => ({ first, other: Option.getOrElse(otherModel, () => first) }))
    const found = yield* Story.tell(stage, {
      filename,
      directory: yield* DemoDirectory.place(directory),
      askPerson: (ask || Option.isSome(model)) && !json && Prompter.isPossible(),
      ...defined({ models: Option.getOrUndefined(models) }),
    })
    if (json) yield* Output.show(json, found, () => [])
  }).pipe(Effect.scoped)
