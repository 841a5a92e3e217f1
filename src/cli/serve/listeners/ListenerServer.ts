/** `hindcast serve --listener`: a kernel that stays alive, and opens a task for each signal of its listeners. */
import * as fs from "node:fs"
import { Options } from "@effect/cli"
import { Array as Arrays, Effect, type Option } from "effect"
import { EventLog } from "../../../events/log/EventLog.ts"
import { Kernel } from "../../../kernel/Kernel.ts"
import { PROGRAM } from "../../../kernel/registry/InProcess.ts"
import * as PluginListener from "../../../listeners/PluginListener.ts"
import type { Rule } from "../../../listeners/Rule.ts"
import * as Serve from "../../../listeners/Serve.ts"
import { defined } from "../../../values/defined.ts"
import { conducted } from "../../../worlds/scenario/Scenario.ts"
import { BadInput } from "../../command/BadInput.ts"
import { given, optionalText, repeatedText, wholeNumber } from "../../command/CommonOptions.ts"
import * as OpenLog from "../../command/OpenLog.ts"
import * as ProtocolStreams from "../../command/ProtocolStreams.ts"
import * as HealthOption from "../../health/HealthOption.ts"
import * as HealthServer from "../../health/HealthServer.ts"
import * as AgentAtWork from "../../task/AgentAtWork.ts"
import * as AgentOption from "../../task/AgentOption.ts"
import * as JudgeOption from "../../task/JudgeOption.ts"
import * as Prompter from "../../task/Prompter.ts"
import * as RunPlugins from "../../task/RunPlugins.ts"
import * as UntilEnded from "../../terminal/UntilEnded.ts"
import * as ListenerModule from "./ListenerModule.ts"

/** The options that only `--listener` takes. */
export const options = {
  listener: repeatedText(
    "listener",
    "Open a task for each signal of listeners. A JavaScript module whose default export is a listener, a list of them, or { listeners, rules, tools, sensors }; or a listener of a plugin, as plugin/listener",
  ),
  ...AgentOption.options("the agent for all signals that no rule of the module wants"),
  ...JudgeOption.options,
  goal: optionalText("goal", "With --agent or --model: the goal, with bindings such as {/content/body/title}"),
  when: optionalText(
    "when",
    "With --agent or --model: only signals for which this CEL expression over id, listener, source and content is true",
  ),
  plugin: repeatedText("plugin", "The directory of a plugin to import for the agent's tasks"),
  host: optionalText("host", "The address for webhooks and WebSockets. Default: 127.0.0.1"),
  maxTasks: wholeNumber("max-tasks", 1).pipe(
    Options.withDescription("Maximum number of tasks at work at the same time. Default: 8"),
    Options.optional,
  ),
  maxSteps: AgentAtWork.maxSteps(""),
  gate: AgentAtWork.options.gate,
  confirmWithinMs: AgentAtWork.options.confirmWithinMs,
  sandbox: AgentAtWork.options.sandbox,
  workspace: AgentAtWork.options.workspace,
  trustLog: AgentAtWork.options.trustLog,
  health: HealthOption.option,
}

export interface Typed
  extends AgentOption.TypedAgents,
    JudgeOption.Typed,
    Omit<AgentAtWork.KernelInput, "json" | "judge"> {
  readonly log: Option.Option<string>
  readonly listener: ReadonlyArray<string>
  readonly goal: Option.Option<string>
  readonly when: Option.Option<string>
  readonly plugin: ReadonlyArray<string>
  readonly port: Option.Option<number>
  readonly host: Option.Option<string>
  readonly maxTasks: Option.Option<number>
  readonly maxSteps: Option.Option<number>
  readonly health: Option.Option<string>
}

/** The name of a typed option that only `--listener` takes. Those with defaults say nothing. */
export const unusedOf = (typed: Omit<Typed, "log" | "port">): string | undefined => {
  const {
    agent,
    model,
    plugin,
    guide,
    cassette,
    maxTokens,
    maxUsd,
    hedgeMs,
    goal,
    when,
    host,
    maxTasks,
    maxSteps,
    health,
  } = typed
  const [repeated] = Object.entries({ agent, model, plugin }).filter(([, all]) => all.length > 0)
  const single = given({
    ...{ guide, cassette, goal, when, host, health, workspace: typed.workspace },
    ...{ judge: typed.judge, rubric: typed.rubric },
    ...{ "max-tokens": maxTokens, "max-usd": maxUsd, "max-tasks": maxTasks, "max-steps": maxSteps, hedge: hedgeMs },
    "confirm-within": typed.confirmWithinMs,
  })
  return repeated?.[0] ?? Object.keys(single)[0]
}

/** Serves until the process is told to end, or every listener has ended and the tasks are done. */
export const serve = (typed: Typed) =>
  Effect.gen(function* () {
    const [names, files] = Arrays.partition(typed.listener, (text) => !isPluginListener(text))
    const modules = yield* Effect.forEach(files, ListenerModule.load)
    const hasAgent = typed.agent.length + typed.model.length > 0
    const [only] = Object.keys(given({ goal: typed.goal, when: typed.when }))
    if (!hasAgent && only !== undefined) {
      return yield* new BadInput({ input: `--${only}`, expected: "--agent or --model with it", found: "neither" })
    }
    const rules = modules.flatMap(({ rules }) => rules)
    if (!hasAgent && rules.length === 0) {
      return yield* new BadInput({
        input: "--listener",
        expected: "an agent for the signals: --agent, --model, or rules in the module",
        found: "none",
      })
    }
    const agent = hasAgent ? yield* AgentOption.load(typed, "live") : undefined
    const program = programOf(modules)
    const { log, judge, rubric, ...rest } = typed
    const judging = yield* JudgeOption.of({ judge, rubric })
    const place = yield* OpenLog.placeOf(log)
    const own = { json: false, ...judging, ...defined({ program }) }
    const kernel = yield* AgentAtWork.kernel("serve", place.open, { ...rest, ...own })
    const serving = Effect.gen(function* () {
      const { opening } = yield* RunPlugins.prepare({ plugin: typed.plugin, scenario: [], json: true })
      // Without --plugin, all active ones, to which the module's tools belong.
      const plugins = typed.plugin.length === 0 ? undefined : [...opening.plugins, ...(program ? [PROGRAM] : [])]
      const { goal, when, maxSteps } = typed
      const last: ReadonlyArray<Rule> =
        agent === undefined
          ? []
          : [{ agent: conducted(agent), ...defined({ plugins }), ...given({ goal, when, maxSteps }) }]
      const { position } = yield* (yield* EventLog).head
      yield* Effect.forkScoped(Prompter.announce(position, place.name))
      const { urls, ended } = yield* Serve.serve({
        listeners: [...modules.flatMap(({ listeners }) => listeners), ...names],
        rules: [...rules, ...last],
        ...given({ port: typed.port, host: typed.host, maxTasks: typed.maxTasks }),
      })
      yield* HealthServer.serve(typed.health, { log })
      yield* UntilEnded.begin
      ProtocolStreams.remark(`listening; the signals and their tasks are in ${place.name}`)
      for (const [name, url] of Object.entries(urls)) ProtocolStreams.remark(`${name} on ${url}`)
      yield* ended
      // After a signal that ends the process, the next kernel judges the rest.
      if (judging.judge !== undefined) yield* (yield* Kernel).judged
    })
    // The listeners end before the kernel and its log, which record their ends.
    yield* Effect.provide(Effect.scoped(serving), kernel)
  }).pipe(Effect.scoped)

/** The name of a plugin's listener, and no file. */
const isPluginListener = (text: string): boolean =>
  PluginListener.NAME.test(text) && !/\.[cm]?[jt]s$/.test(text) && !fs.existsSync(text)

/** The tools and sensors of all modules. */
const programOf = (modules: ReadonlyArray<ListenerModule.Exported>): AgentAtWork.KernelInput["program"] => {
  const tools = Object.assign({}, ...modules.map(({ tools }) => tools ?? {}))
  const sensors = Object.assign({}, ...modules.map(({ sensors }) => sensors ?? {}))
  return Object.keys(tools).length + Object.keys(sensors).length === 0 ? undefined : { tools, sensors }
}
