/** The commands that start runners, list, drain and limit them. */
import { Command, Options } from "@effect/cli"
import { Effect, Option } from "effect"
import type { LogError } from "../../events/log/EventLog.ts"
import * as ServerUrl from "../../events/log/ServerUrl.ts"
import * as Gate from "../../kernel/gate/Gate.ts"
import * as Hindcast from "../../kernel/Hindcast.ts"
import { type RunnerStanding, TaskQueue } from "../../kernel/queue/TaskQueue.ts"
import { userAsActor, userName } from "../../platform/user/Machine.ts"
import { iso } from "../../values/Time.ts"
import * as RecordFiles from "../../workspace/recordFiles.ts"
import {
  argument,
  common,
  given,
  milliseconds,
  optionalText,
  positive,
  repeatedText,
  wholeNumber,
} from "../command/CommonOptions.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as HealthOption from "../health/HealthOption.ts"
import * as HealthServer from "../health/HealthServer.ts"
import * as AgentAtWork from "../task/AgentAtWork.ts"
import * as AgentOption from "../task/AgentOption.ts"
import type { Style } from "../terminal/Style.ts"
import * as Table from "../terminal/Table.ts"
import * as Text from "../terminal/Text.ts"
import { at, count, oneLine } from "../terminal/Text.ts"
import * as UntilEnded from "../terminal/UntilEnded.ts"
import * as Numbers from "./Numbers.ts"

const { deadlineMs: _, ...kernelOptions } = AgentAtWork.options

const startOptions = {
  ...AgentOption.modelOptions,
  agent: repeatedText("agent", "A JavaScript module whose default export is an agent. Several for several agents"),
  model: repeatedText("model", "Instead of --agent: a language model, as provider/model"),
  name: optionalText("name", "The runner's name. Default: the machine's name and the process id"),
  slots: wholeNumber("slots", 1).pipe(
    Options.withDescription("Maximum number of tasks at a time. Default: 4"),
    Options.optional,
  ),
  label: repeatedText("label", "A label that tasks can ask for"),
  plugin: repeatedText("plugin", "The directory of a plugin to import"),
  poisonAfter: wholeNumber("poison-after", 1).pipe(
    Options.withDescription("A task whose runners died or failed this often without progress is poisoned. Default: 3"),
    Options.optional,
  ),
  health: HealthOption.option,
  drainWithinMs: positive("drain-within").pipe(
    Options.withDescription(
      "Seconds that tasks have to reach the ends of their steps when the runner stops. Default: 30",
    ),
    milliseconds,
    Options.optional,
  ),
  ...kernelOptions,
}

export const start = Command.make("start", { ...common, ...startOptions }, ({ log, json, ...typed }) =>
  Effect.gen(function* () {
    const agents = yield* agentsOf(typed)
    const { open, name: filename } = yield* OpenLog.placeOf(log)
    const workspace = yield* OpenLog.workspaceOf(typed.workspace)
    yield* OpenLog.warnTracked(open)
    const { gate, confirmWithinMs, name, slots, poisonAfter, drainWithinMs } = typed
    const runner = yield* Hindcast.runner({
      log: open,
      workspace,
      agents,
      actor: userAsActor(),
      plugins: typed.plugin,
      labels: typed.label,
      gate: { ...(gate === "ask" ? Gate.standard : { default: gate }), ...given({ confirmWithinMs }) },
      host: { sandbox: typed.sandbox },
      trust: typed.trustLog,
      ...(ServerUrl.isAddress(open) ? {} : { files: RecordFiles.continueFiles }),
      ...given({ name, slots, poisonAfter, drainWithinMs }),
      onNews: (news) => tell(news, json),
    })
    yield* UntilEnded.begin
    yield* json
      ? Output.writeWhole(Text.json({ runner: runner.name }))
      : Output.write(
          `Runner ${runner.name} works on ${filename}: ${agents.map(({ name }) => oneLine(name)).join(", ")}. Press Ctrl-C to drain it.`,
        )
    let isDraining = false
    yield* HealthServer.serve(typed.health, { log, ready: readiness(runner.name, () => isDraining) })
    const draining = Effect.suspend(() => {
      isDraining = true
      return Effect.ignore(runner.drain)
    })
    // A signal drains: tasks stop at the ends of their steps, and others continue them.
    yield* runner.ended.pipe(Effect.onInterrupt(() => draining))
  }).pipe(Effect.scoped),
).pipe(
  Command.withDescription(
    "Work on queued tasks until it is drained, next to other runners if the log is on a PostgreSQL server",
  ),
)

/**
 * Succeeds while a runner claims tasks: it has a session that lives, and neither its program nor the log asks it to drain.
 *
 * @internal
 */
export const readiness = (
  name: string,
  isDraining: () => boolean,
): Effect.Effect<void, HealthServer.NotReady | LogError, TaskQueue> =>
  Effect.gen(function* () {
    const { runners } = yield* TaskQueue
    const found = (yield* runners).find(({ runner, state }) => runner === name && state === "alive")
    if (isDraining() || found?.draining === true) return yield* Effect.fail({ reason: "the runner is draining" })
    if (found === undefined) return yield* Effect.fail({ reason: "the runner has no session that lives" })
  })

const agentsOf = (typed: AgentOption.TypedAgents) =>
  Effect.gen(function* () {
    if (typed.agent.length + typed.model.length === 0) return yield* AgentOption.notOne("neither")
    return yield* Effect.forEach(AgentOption.each(typed), (one) => AgentOption.load(one, "live"))
  })

const tell = (news: Hindcast.News, json: boolean) => {
  Output.sayNow(json ? Text.json(news) : wordsOf(news))
}

const wordsOf = (news: Hindcast.News): string => {
  switch (news.what) {
    case "claimed":
      return `Task ${news.task} ${news.takenFrom === undefined ? "begins or continues" : `is taken over from ${oneLine(news.takenFrom)}`}`
    case "closed":
      return `Task ${news.task} is closed`
    case "released":
      return `Task ${news.task} is given back: ${oneLine(news.reason)}`
    case "lost":
      return `Task ${news.task} continues elsewhere`
  }
}

export const ls = Command.make("ls", common, ({ log, json }) =>
  Effect.gen(function* () {
    const runners = yield* (yield* TaskQueue).runners
    yield* Output.show(
      json,
      { runners: runners.map((runner) => ({ ...runner, activity: activityOf(runner) })) },
      (style) => lines(style, runners),
    )
  }).pipe(Effect.provide(OpenLog.forReading(log))),
).pipe(Command.withDescription("List the runners of a log, whether they live, and their tasks"))

const activityOf = ({ state, draining, busyMs }: RunnerStanding): string => {
  if (state === "alive") {
    const what = draining ? "draining" : "working"
    return busyMs === undefined ? what : `${what}, busy for ${Math.floor(busyMs / 1_000)} s`
  }
  return state === "gone" ? "lost" : "silent"
}

const lines = (style: Style, runners: ReadonlyArray<RunnerStanding>): ReadonlyArray<string> => {
  if (runners.length === 0) return ["No runner works on this log. `hindcast runner start --agent FILE` starts one."]
  const cells = runners.map((runner) => [
    style.name(oneLine(runner.runner)),
    activityOf(runner),
    `${runner.tasks.length}/${runner.slots}`,
    `${oneLine(runner.host)}, process ${runner.pid}`,
    runner.agents.map(oneLine).join(", "),
    runner.duties.join(", "),
    iso(runner.startedAt),
  ])
  return Table.lines(style, ["runner", "state", "tasks", "where", "agents", "duties", "since"], cells)
}

export const drain = Command.make(
  "drain",
  { ...common, runner: argument("runner", "The name of a runner") },
  ({ log, json, runner }) =>
    Effect.gen(function* () {
      const events = yield* (yield* TaskQueue).drain(runner, { by: userName() })
      yield* Output.show(json, { requested: events }, (style) => [
        `${count(events.length, "session")} of ${style.name(oneLine(runner))} asked to drain ${style.dim(at(events.at(-1)?.position ?? 0))}`,
      ])
    }).pipe(Effect.provide(OpenLog.forWriting(log))),
).pipe(
  Command.withDescription(
    "Ask a runner to claim nothing more, and to end once its tasks reach the ends of their steps",
  ),
)

export const limit = Command.make(
  "limit",
  {
    ...common,
    agent: Numbers.maxima("agent", "NAME=N: at most N queued tasks of this agent at a time"),
    plugin: Numbers.maxima("plugin", "NAME=N: at most N queued tasks at a time that name this plugin"),
    total: wholeNumber("total", 0).pipe(
      Options.withDescription("At most so many queued tasks of this log at a time. Default: no limit"),
      Options.optional,
    ),
  },
  ({ log, json, agent, plugin, total }) =>
    Effect.gen(function* () {
      const event = yield* (yield* TaskQueue).limit({
        agents: agent,
        plugins: plugin,
        by: userName(),
        ...given({ total }),
      })
      const all = [
        ...Object.entries(agent),
        ...Object.entries(plugin),
        ...(Option.isSome(total) ? [["all tasks", total.value] as const] : []),
      ]
      yield* Output.show(json, event, (style) => [
        `${all.length === 0 ? "No limits" : all.map(([name, most]) => `${oneLine(name)}: at most ${most}`).join(", ")} ${style.dim(at(event.position))}`,
      ])
    }).pipe(Effect.provide(OpenLog.orCreate(log))),
).pipe(Command.withDescription("Set how many queued tasks run at a time, by agent and plugin. Replaces earlier limits"))
