/** The command `hindcast run`: imports plugins, runs an agent on a goal and prints the task's audit. */
import { Command, Options } from "@effect/cli"
import { Data, Effect, Option } from "effect"
import { EventLog } from "../../events/log/EventLog.ts"
import type * as Agent from "../../kernel/agents/Agent.ts"
import { Kernel } from "../../kernel/Kernel.ts"
import { defined } from "../../values/defined.ts"
import { quoteWord } from "../../values/ShellWord.ts"
import * as Scenarios from "../../worlds/scenario/Scenario.ts"
import { BadInput } from "../command/BadInput.ts"
import * as CommandHints from "../command/CommandHints.ts"
import { common, flag, given, optionalText, repeatedText, wholeNumber } from "../command/CommonOptions.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as AuditPage from "../pages/audit/AuditPage.ts"
import { count } from "../terminal/Text.ts"
import * as AgentAtWork from "./AgentAtWork.ts"
import * as AgentOption from "./AgentOption.ts"
import * as JudgeOption from "./JudgeOption.ts"
import * as RunPlugins from "./RunPlugins.ts"
import * as Scenario from "./Scenario.ts"

export const workOptions = {
  goal: optionalText("goal", "The agent's goal. Default: the scenario's description"),
  plugin: repeatedText("plugin", "The directory of a plugin to import. Only plugins given here take part"),
  scenario: repeatedText(
    "scenario",
    "A scenario to play, or options of the environment, a YAML or JSON file: FILE, or plugin=FILE for options",
  ),
  maxSteps: AgentAtWork.maxSteps("", ", or the length of the world's longest episode"),
  seed: wholeNumber("seed", 0).pipe(
    Options.withDescription(
      "The seed of all randomness: worlds are reset with it, as in Gymnasium. Default: random, and recorded",
    ),
    Options.optional,
  ),
  subject: optionalText(
    "subject",
    "The person whose data the task contains: Hindcast encrypts it with this person's key; `log shred` destroys the key",
  ),
  recordFiles: flag("record-files", "Record what each command changes in the workspace's files, for `hindcast files`"),
  ...AgentAtWork.options,
}

export interface TypedWork extends AgentAtWork.KernelInput {
  readonly log: Option.Option<string>
  readonly json: boolean
  readonly goal: Option.Option<string>
  readonly plugin: ReadonlyArray<string>
  readonly scenario: ReadonlyArray<string>
  readonly maxSteps: Option.Option<number>
  readonly seed: Option.Option<number>
  readonly subject: Option.Option<string>
  readonly deadlineMs: Option.Option<number>
}

export const run = Command.make(
  "run",
  { ...common, ...AgentOption.options("an agent"), ...workOptions, ...JudgeOption.options },
  ({ judge, rubric, ...typed }) =>
    Effect.gen(function* () {
      const judging = yield* JudgeOption.of({ judge, rubric })
      yield* work("run", { ...typed, ...judging }, AgentOption.loadAll(typed, "live"), typed)
    }),
).pipe(Command.withDescription("Let an agent work on a goal, and show its audit"))

/**
 * Runs agents on the goal, on a kernel of their own, and prints the audit. Loads the agents first.
 *
 * @param model the typed model options, for agents that a scenario names
 */
export const work = <E>(
  command: string,
  { log, ...typed }: TypedWork,
  load: Effect.Effect<AgentOption.LoadedAgents, E>,
  model: AgentOption.TypedModel,
) =>
  Effect.gen(function* () {
    if (Option.isSome(typed.goal) ? typed.goal.value.trim() === "" : typed.scenario.length === 0) {
      return yield* noGoal
    }
    const agents = yield* load
    const isCast = agents.other !== undefined || Object.keys(agents.named).length > 0
    if (!isCast && typed.scenario.length === 0) return yield* AgentOption.notOne("neither")
    const place = yield* OpenLog.placeOf(log)
    const kernel = yield* AgentAtWork.kernel(command, place.open, typed)
    yield* Effect.provide(perform({ ...typed, agents, model, filename: place.name }), kernel)
  }).pipe(Effect.scoped)

const noGoal = new BadInput({
  input: "--goal",
  expected: "the agent's goal, or a scenario to play (--scenario)",
  found: "nothing",
})

/** The agent threw or returned an invalid decision. Its task was closed as failed and scored. */
export class AgentFailed extends Data.TaggedError("AgentFailed")<{
  readonly reason: string
  readonly taskId: string
  readonly log: string
}> {
  override get message() {
    return `${this.reason}\nIts task ${this.taskId} is closed as failed; \`hindcast audit ${quoteWord(this.taskId)} --log ${quoteWord(this.log)}\` shows it.`
  }
}

interface RunInput extends Omit<TypedWork, "log"> {
  readonly agents: AgentOption.LoadedAgents
  readonly model: AgentOption.TypedModel
  readonly filename: string
}

const perform = ({
  agents,
  model,
  goal,
  plugin,
  scenario,
  maxSteps,
  seed,
  subject,
  deadlineMs,
  judge,
  filename,
  json,
}: RunInput) =>
  Effect.gen(function* () {
    const kernel = yield* Kernel
    const { opening, played, episodeSteps } = yield* RunPlugins.prepare({ plugin, scenario, json })
    const goalOf = Option.getOrElse(goal, () => played?.goal)
    if (goalOf === undefined) return yield* noGoal
    const most = Option.orElse(maxSteps, () => Option.fromNullable(played?.maxSteps ?? episodeSteps))
    // If agents act in turn, a round is one turn.
    const spare = played?.maxSteps === undefined ? undefined : played.maxSteps * Math.max(1, played.agents.length)
    const maxRounds = Option.getOrElse(maxSteps, () => spare)
    const { agent, names } = yield* Scenario.cast(agents, played, model, maxRounds)
    const plugins = Scenarios.pluginsFor(yield* kernel.plugins.state, names?.length ?? 1, opening.plugins)
    if (!json) yield* noteUnfinished(filename)
    const audit = yield* AgentAtWork.accompanied({ filename, json }, (after) =>
      kernel.tasks
        .run(Scenarios.conducted(agent, played?.playing), {
          goal: goalOf,
          ...opening,
          ...defined({ plugins, agents: names }),
          ...given({ maxSteps: most, seed, subject, deadlineMs }),
        })
        .pipe(Effect.catchTag("AgentFailed", (failed) => withTask(failed, after))),
    )
    const judged = yield* JudgeOption.judged(judge, audit)
    yield* Output.show(json, judged, (style) => ["", ...AuditPage.lines(style, judged)])
  })

const noteUnfinished = (filename: string) =>
  Effect.gen(function* () {
    const [first, ...others] = yield* (yield* Kernel).tasks.unfinished
    if (first === undefined) return
    const log = ["--log", CommandHints.shortest(filename)]
    const more =
      others.length === 0
        ? ""
        : ` So are ${count(others.length, "other task")}: ${CommandHints.command(["task", "ls", ...log])}.`
    yield* Output.note(
      `Task ${first.taskId} of ${first.agent} has been open since its kernel ended. ${CommandHints.command(["resume", first.taskId, "--agent", "FILE", ...log])} continues it, ${CommandHints.command(["task", "cancel", first.taskId, ...log])} ends it.${more}`,
    )
  })

/** Adds the task's id to an agent's failure: the first task opened after `after`. */
const withTask = (failed: Agent.AgentFailed, after: number) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const [opened] = yield* log.readPage({ after, types: ["TaskOpened"] }, 1)
    if (opened === undefined || opened.taskId === null) return yield* failed
    return yield* new AgentFailed({ reason: failed.message, taskId: opened.taskId, log: log.name })
  })
