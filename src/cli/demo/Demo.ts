/** The command `hindcast demo`: a tour of Hindcast with real agents and plugins, or the log of a season of many tasks. */
import * as fs from "node:fs"
import * as path from "node:path"
import { Command, Options } from "@effect/cli"
import { Effect, Option } from "effect"
import * as Season from "#season"
import { EventLog } from "../../events/log/EventLog.ts"
import * as Gate from "../../kernel/gate/Gate.ts"
import * as Hindcast from "../../kernel/Hindcast.ts"
import type { WantedTier } from "../../plugins/sandbox/Tier.ts"
import { BadInput } from "../command/BadInput.ts"
import * as CommandHints from "../command/CommandHints.ts"
import { flag, given, json, optionalText, sandbox, wholeNumber } from "../command/CommonOptions.ts"
import { userAsActor, userName } from "../command/CurrentUser.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as PackageFiles from "../command/PackageFiles.ts"
import * as Prompter from "../task/Prompter.ts"
import * as ProgressLine from "../terminal/ProgressLine.ts"
import { at, count } from "../terminal/Text.ts"
import * as Audits from "./Audits.ts"
import * as Games from "./Games.ts"
import * as IntactLog from "./IntactLog.ts"
import * as LiveDemo from "./live/LiveDemo.ts"
import * as Narrator from "./Narrator.ts"
import * as NextSteps from "./NextSteps.ts"
import * as PythonPlugin from "./PythonPlugin.ts"
import * as Rescoring from "./Rescoring.ts"
import * as SeasonPage from "./SeasonPage.ts"
import * as StoryMoments from "./StoryMoments.ts"
import * as WorkspaceVisit from "./WorkspaceVisit.ts"

/** The default path of the demo's log. It is separate from the user's own log. */
const LOG = path.join(".hindcast", "demo.db")

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
    if (typed.live) yield* LiveDemo.tell(typed)
    else if (Option.isSome(tasks)) yield* writeSeason(tasks.value, typed)
    else yield* runTour(typed)
  }),
).pipe(
  Command.withDescription(
    "See what Hindcast does, in a few seconds: play, confirm, audit, look back, re-score, verify",
  ),
)

interface DemoInput extends LiveDemo.LiveInput {
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
        ...{ input: "--tasks", expected: `at most ${MAX_TASKS}`, found: String(tasks) },
        advice: "Ten take about a second.",
      })
    }
    const named = Option.orElseSome(
      log,
      () => process.env.HINDCAST_LOG || path.join(".hindcast", `demo-${tasks}-${seed}.db`),
    )
    const filename = yield* OpenLog.fileOf(named)
    const season = yield* ProgressLine.during({ verb: "done", unit: "tasks", json }, (onProgress) =>
      Season.write({ filename, tasks, seed, sandbox, onProgress }),
    )
    const next = SeasonPage.suggestions(filename)
    yield* Output.show(json, { log: filename, tasks, seed, ...season, next }, (style) =>
      SeasonPage.lines(style, { log: filename, ...season }),
    )
    if (!json) yield* NextSteps.show(Narrator.onOutput(), next)
  })

/** Maximum number of tasks. More would take too long. */
const MAX_TASKS = 10_000

/** Runs the tour and prints each part. */
const runTour = ({ log, json, seed, sandbox, ask }: DemoInput) =>
  Effect.gen(function* () {
    const filename = yield* OpenLog.fileOf(Option.orElseSome(log, () => process.env.HINDCAST_LOG || LOG))
    const narrator = json ? Narrator.silent : Narrator.onOutput()
    const paths: TourOptions = {
      filename,
      workspace: PackageFiles.workspace(),
      seed,
      sandbox,
      askPerson: ask && !json && Prompter.isPossible(),
    }

    const liveResults = yield* runLiveParts(narrator, paths)
    const found = yield* runReadParts(narrator, paths, liveResults)
    const next = NextSteps.suggestions(filename, found.win, liveResults.wanderer.taskId)
    yield* NextSteps.show(narrator, next)
    yield* narrator.say(...PythonPlugin.missing().flatMap((line) => ["", line]))

    if (!json) return
    const { continued, recovered, expert, wanderer, visit } = liveResults
    const { audit, ...visited } = visit
    const { win: _win, ...rest } = found
    const audits = [expert, wanderer, audit]
    yield* Output.show(json, { log: filename, seed, continued, recovered, audits, ...visited, ...rest, next }, () => [])
  })

interface TourOptions extends WorkspaceVisit.VisitOptions {
  readonly seed: number
  readonly sandbox: WantedTier
}

type LiveResults = Effect.Effect.Success<ReturnType<typeof runLiveParts>>

/**
 * The parts of the tour that need a kernel: plugins and agents run. The kernel and all plugins are stopped at the end.
 */
const runLiveParts = (narrator: Narrator.Narrator, paths: TourOptions) =>
  Effect.gen(function* () {
    const { filename, workspace, seed, sandbox } = paths
    const before = yield* headOf(filename)
    const kernel = Hindcast.layer({
      log: filename,
      workspace,
      actor: userAsActor(),
      owner: `hindcast demo of ${userName()}`,
      gate: Gate.standard,
      seed,
      host: { sandbox },
    })
    return yield* Effect.gen(function* () {
      const recovered = yield* recoveredSince(before)
      yield* printStart(narrator, paths, before, recovered)
      const { expert, wanderer } = yield* Games.play(narrator)
      const visit = yield* WorkspaceVisit.visit(narrator, paths)
      return { continued: before > 0, recovered, expert, wanderer, visit }
    }).pipe(Effect.provide(kernel))
  })

/** The head of a log; 0 if it does not exist. */
const headOf = (filename: string) =>
  fs.existsSync(filename)
    ? Effect.flatMap(EventLog, (log) => log.head).pipe(
        Effect.map(({ position }) => position),
        Effect.provide(OpenLog.forReading(Option.some(filename))),
      )
    : Effect.succeed(0)

/**
 * The number of events that recovery recorded before the kernel's start, for tasks that a killed kernel left
 * unfinished.
 */
const recoveredSince = (before: number) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const [started] = yield* log.readPage({ after: before, types: ["KernelStarted"] }, 1)
    return started === undefined ? 0 : started.position - before - 1
  })

const printStart = (
  { say, style }: Narrator.Narrator,
  { filename, seed }: TourOptions,
  before: number,
  recovered: number,
) =>
  Effect.gen(function* () {
    yield* say(`${style.bold("Hindcast's demo")}, seed ${seed}. Its log: ${CommandHints.shortest(filename)}`)
    if (before === 0) return
    const left = recovered === 0 ? "nothing was left unfinished" : `recovery recorded ${count(recovered, "event")}`
    yield* say(`The log goes on after ${at(before)}: its ${count(before, "event")} stay; ${left}.`)
  })

/** The parts of the tour that only read the log. */
const runReadParts = (
  narrator: Narrator.Narrator,
  { filename, workspace }: TourOptions,
  { expert, wanderer, visit }: LiveResults,
) =>
  Effect.gen(function* () {
    yield* Audits.compare(narrator, [expert, wanderer, visit.audit])
    const win = yield* StoryMoments.findWin(expert)
    const moments = yield* StoryMoments.compare(narrator, expert, win)
    const blame = yield* StoryMoments.blame(narrator, win)
    const why = yield* StoryMoments.why(narrator, win)
    const rescore = yield* Rescoring.rescore(narrator, [expert.taskId, wanderer.taskId])
    return { win, moments, blame, why, rescore, verify: yield* IntactLog.verify(narrator, ...INTACT) }
  }).pipe(Effect.provide(Hindcast.layerLog({ log: filename, workspace, actor: userAsActor() })))

const INTACT = [
  "8  Is the log intact?",
  "Every event carries the hash of the one before it: a later change or removal is detected.",
] as const
