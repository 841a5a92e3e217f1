/** The command `hindcast fork`: an agent continues from a moment of a recorded task, on a new timeline. */
import { Command, Options } from "@effect/cli"
import { Effect, Option } from "effect"
import { EventLog } from "../../events/log/EventLog.ts"
import type * as Agent from "../../kernel/agents/Agent.ts"
import * as Fork from "../../kernel/fork/Fork.ts"
import { Kernel } from "../../kernel/Kernel.ts"
import { type Json, parseJson } from "../../values/Json.ts"
import { BadInput } from "../command/BadInput.ts"
import * as CommandHints from "../command/CommandHints.ts"
import { argument, common, flag, given, oneOf, optionalText, repeatedText } from "../command/CommonOptions.ts"
import * as Ids from "../command/Ids.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as ForkPage from "../pages/time/ForkPage.ts"
import * as ClosedProgram from "../record/ClosedProgram.ts"
import * as ForkProgram from "../record/ForkProgram.ts"
import * as Program from "../record/Program.ts"
import * as AgentAtWork from "../task/AgentAtWork.ts"
import * as AgentOption from "../task/AgentOption.ts"
import * as ConversationTask from "../task/ConversationTask.ts"
import * as ForkEach from "./ForkEach.ts"

const options = {
  ...AgentOption.options("the agent that continues", "Several without names make a fork each"),
  task: optionalText("task", "The task to continue. Default: that of the event at the moment"),
  timeline: optionalText("timeline", "The new timeline's name. Default: fork-1, fork-2 …"),
  override: repeatedText(
    "override",
    "A difference from the parent: seed=N, goal=TEXT, reading:PLUGIN/SENSOR=JSON (the sensor's first reading), world:PLUGIN=JSON (a JSON Merge Patch of the environment's document)",
  ),
  io: oneOf("io", ["live", "recorded"]).pipe(
    Options.withDescription(
      "live: plugins execute the agent's commands; recorded: the recording answers as far as it goes. Default: live",
    ),
    Options.withDefault("live" as const),
  ),
  rewind: oneOf("rewind", ["snapshot", "re-execution"]).pipe(
    Options.withDescription("How to rewind worlds to the moment. Default: by snapshot if the plugin can"),
    Options.optional,
  ),
  acceptUnrewound: flag("accept-unrewound", "Continue even if a world does not support rewinding"),
  restoreFiles: flag("restore-files", "Bring the recorded files of the workspace back as they were at that moment"),
  fresh: flag("fresh", "Start the agent at the moment, without leading it through the recorded decisions first"),
  set: repeatedText(
    "set",
    "With a program after --: a change from the moment on: model=NAME, answer=TEXT (the model's next answer), result=TEXT (the answer to the next other request)",
  ),
  allowHost: ClosedProgram.allowHost,
  words: Program.words,
  maxSteps: AgentAtWork.maxSteps(" from there"),
  ledWithinMs: AgentAtWork.ledWithinMs,
  ...AgentAtWork.options,
}

export const fork = Command.make(
  "fork",
  {
    ...common,
    at: argument(
      "moment",
      "The last moment that the fork shares with its parent: a position (@412, fork-1@512), an event's id, or a time",
    ),
    ...options,
  },
  ({ log, json, set, allowHost, words, ...typed }) =>
    Effect.gen(function* () {
      if (words.length > 0) {
        const [ofAgent] = [
          ...typed.override.map((text) => `--override ${text}`),
          ...(typed.fresh ? ["--fresh"] : []),
          ...(typed.acceptUnrewound ? ["--accept-unrewound"] : []),
          ...(typed.restoreFiles ? ["--restore-files"] : []),
        ]
        if (ofAgent === undefined) return yield* ForkProgram.fork({ ...typed, log, json, set, allowHost, words })
        const expected = "an agent of Hindcast's own (--agent, --model)"
        return yield* new BadInput({ input: ofAgent, expected, found: `a program: ${words.join(" ")}` })
      }
      const [ofProgram] = [...set.map((text) => `--set ${text}`), ...allowHost.map((host) => `--allow-host ${host}`)]
      if (ofProgram !== undefined) {
        const expected = "a program after --, such as -- node agent.js"
        return yield* new BadInput({ input: ofProgram, expected, found: "an agent of Hindcast's own" })
      }
      const conversation = yield* Effect.gen(function* () {
        if (Option.isNone(typed.task)) return yield* ConversationTask.isAt(typed.at)
        return yield* ConversationTask.isOne(yield* Ids.task(typed.task.value))
      }).pipe(Effect.provide(OpenLog.forEvents(log)))
      const each = AgentOption.each(typed)
      if (each.length > 1 && Option.isSome(typed.timeline)) {
        const expected = "no name for one timeline, where several models or agents each get their own"
        return yield* new BadInput({ input: `--timeline ${typed.timeline.value}`, expected, found: "several of them" })
      }
      // Load all of them first: a missing key or module refuses every fork.
      const agents = yield* Effect.forEach(each, (one) => AgentOption.load(one, "live", { conversation }))
      const overrides = yield* overridesOf(typed.override)
      const { open, name: filename } = yield* OpenLog.existingPlace(log)
      const kernel = yield* AgentAtWork.kernel("fork", open, { ...typed, json })
      const { at, io, fresh, acceptUnrewound, restoreFiles, timeline, rewind, maxSteps, deadlineMs, ledWithinMs } =
        typed
      const forkOptions = {
        at,
        io,
        fresh,
        acceptUnrewound,
        restoreFiles,
        overrides,
        ...given({ timeline, rewind, maxSteps, deadlineMs, ledWithinMs }),
      }
      // Check before starting a kernel: a refused fork appends nothing, not even that a kernel started.
      yield* Effect.forEach(agents, (agent) => refused(agent, forkOptions, typed.task)).pipe(
        Effect.provide(OpenLog.forEvents(log)),
      )
      const [agent, ...others] = agents
      if (agent !== undefined && others.length === 0)
        return yield* Effect.provide(perform(agent, forkOptions, typed.task, { filename, json }), kernel)
      const named = (one: Agent.Agent) => forked(one, forkOptions, typed.task, { filename, json })
      const forks = yield* Effect.provide(ForkEach.inTurn(agents, named, filename), kernel)
      yield* Effect.provide(ForkEach.show(forks, json), OpenLog.forPast(log))
    }).pipe(Effect.scoped),
).pipe(
  Command.withDescription(
    "Let an agent continue from a moment of a recorded task, on a new timeline. Or, after --, a program that `hindcast record` recorded",
  ),
)

const refused = (agent: Agent.Agent, forkOptions: Fork.ForkOptions, task: Option.Option<string>) =>
  Effect.gen(function* () {
    const named = Option.isNone(task) ? {} : { task: yield* Ids.task(task.value) }
    yield* Fork.check(yield* EventLog, agent, { ...forkOptions, ...named })
  })

interface Place {
  readonly filename: string
  readonly json: boolean
}

const forked = (agent: Agent.Agent, forkOptions: Fork.ForkOptions, task: Option.Option<string>, place: Place) =>
  Effect.gen(function* () {
    const kernel = yield* Kernel
    const named = Option.isNone(task) ? {} : { task: yield* Ids.task(task.value) }
    return yield* AgentAtWork.accompanied(place, () => kernel.fork(agent, { ...forkOptions, ...named }))
  })

const perform = (agent: Agent.Agent, forkOptions: Fork.ForkOptions, task: Option.Option<string>, place: Place) =>
  Effect.gen(function* () {
    const made = yield* forked(agent, forkOptions, task, place)
    const compareCommand = CommandHints.command([
      "compare",
      `${made.parent}/live`,
      `${made.timeline}/live`,
      "--log",
      CommandHints.shortest(place.filename),
    ])
    yield* Output.show(place.json, made, (style) => ForkPage.lines(style, made, compareCommand))
  })

/** Parses `--override` options. Values are JSON, except a goal, which is plain text. */
const overridesOf = (texts: ReadonlyArray<string>): Effect.Effect<Fork.Overrides, BadInput> =>
  Effect.gen(function* () {
    let overrides: Fork.Overrides = {}
    for (const text of texts) {
      const input = `--override ${text}`
      const [, name = "", value = ""] = /^([^=]+)=(.*)$/s.exec(text) ?? []
      const [kind = "", of = ""] = name.split(/:(.*)/s)
      if (name === "goal" && value !== "") overrides = { ...overrides, goal: value }
      else if (name === "seed" && /^\d{1,15}$/.test(value)) overrides = { ...overrides, seed: Number(value) }
      else if (kind === "reading" && of.includes("/"))
        overrides = { ...overrides, readings: { ...overrides.readings, [of]: yield* parsed(input, value) } }
      else if (kind === "world" && of !== "")
        overrides = { ...overrides, world: { ...overrides.world, [of]: yield* parsed(input, value) } }
      else {
        const expected = "seed=N, goal=TEXT, reading:PLUGIN/SENSOR=JSON or world:PLUGIN=JSON"
        return yield* new BadInput({ input, expected, found: "another one" })
      }
    }
    return overrides
  })

const parsed = (input: string, text: string): Effect.Effect<Json, BadInput> =>
  Effect.try({
    try: () => parseJson(text),
    catch: () => new BadInput({ input, expected: "a value in JSON after the =", found: text === "" ? "none" : text }),
  })
