/** The commands that queue tasks for runners, list the queue, and give tasks back to it. */
import { Command, Options } from "@effect/cli"
import { Effect, Option } from "effect"
import * as Moment from "../../events/read/Moment.ts"
import { TaskQueue } from "../../kernel/queue/TaskQueue.ts"
import { userName } from "../../platform/user/Machine.ts"
import type { QueuedTask } from "../../projections/queue/QueuedTasks.ts"
import { iso } from "../../values/Time.ts"
import { BadInput } from "../command/BadInput.ts"
import { argument, common, given, optionalText, repeatedText, text, wholeNumber } from "../command/CommonOptions.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import type { Style } from "../terminal/Style.ts"
import * as Table from "../terminal/Table.ts"
import { at, count, oneLine, shorten } from "../terminal/Text.ts"
import * as Numbers from "./Numbers.ts"

/** Half of a table's usual width. */
const LONGEST_REASON = 60

const submitOptions = {
  agent: text("agent", "The name of the agent: a runner that has it works on the task"),
  goal: text("goal", "The agent's goal"),
  id: optionalText("id", "The task's id. Default: a new one"),
  priority: Numbers.integer("priority").pipe(
    Options.withDescription("Higher ones go first. Default: 0"),
    Options.optional,
  ),
  label: repeatedText("label", "A label that the task's runner must have"),
  plugin: repeatedText("plugin", "The name of a plugin that takes part. Default: all active ones of the log"),
  notBefore: optionalText(
    "not-before",
    "A time with its zone, such as 2026-03-01T12:00:00Z: no runner begins the task earlier",
  ),
  maxSteps: wholeNumber("max-steps", 1).pipe(
    Options.withDescription("Maximum number of steps of the agent. Default: 100"),
    Options.optional,
  ),
  seed: wholeNumber("seed", 0).pipe(
    Options.withDescription("The seed of all randomness. Default: random, and recorded"),
    Options.optional,
  ),
}

export const submit = Command.make("submit", { ...common, ...submitOptions }, ({ log, json, ...typed }) =>
  Effect.gen(function* () {
    const { agent, goal, id, priority, label, plugin, maxSteps, seed } = typed
    const notBefore = yield* Effect.transposeOption(Option.map(typed.notBefore, momentOf))
    const submitted = yield* (yield* TaskQueue).submit({
      ...{ agent, goal, by: userName() },
      ...given({ id, priority, notBefore, maxSteps, seed }),
      ...(label.length === 0 ? {} : { labels: label }),
      ...(plugin.length === 0 ? {} : { plugins: plugin }),
    })
    yield* Output.show(json, submitted, (style) => [
      `Task ${style.name(submitted.taskId)} is queued ${style.dim(at(submitted.position))}`,
    ])
  }).pipe(Effect.provide(OpenLog.orCreate(log))),
).pipe(Command.withDescription("Queue a task, which the first suitable runner claims and works on"))

const momentOf = (typed: string): Effect.Effect<number, BadInput> => {
  const time = Moment.parseTime(typed)
  return time === undefined
    ? new BadInput({
        input: "--not-before",
        expected: "a time with its zone, such as 2026-03-01T12:00:00Z",
        found: JSON.stringify(typed),
      })
    : Effect.succeed(time)
}

export const queue = Command.make("queue", common, ({ log, json }) =>
  Effect.gen(function* () {
    const tasks = yield* TaskQueue
    const queued = Object.entries(yield* tasks.queued)
    const living = new Set((yield* tasks.runners).map(({ session }) => session))
    const rows = queued.map(([taskId, task]) => ({ taskId, state: stateOf(task, living), ...task }))
    yield* Output.show(json, { tasks: rows }, (style) => lines(style, rows))
  }).pipe(Effect.provide(OpenLog.forReading(log))),
).pipe(
  Command.withDescription("List the queued tasks that are not closed: which wait, which run where, which are poisoned"),
)

type State = "waiting" | "claimed" | "poisoned"

const stateOf = ({ poisoned, claim }: QueuedTask, living: ReadonlySet<string>): State => {
  if (poisoned !== undefined) return "poisoned"
  return claim !== undefined && living.has(claim.session) ? "claimed" : "waiting"
}

interface QueueRow extends QueuedTask {
  readonly taskId: string
  readonly state: State
}

const lines = (style: Style, rows: ReadonlyArray<QueueRow>): ReadonlyArray<string> => {
  if (rows.length === 0) return ["No queued task is open. `hindcast task submit` queues one."]
  const cells = rows.map((row) => [
    style.name(row.taskId),
    oneLine(row.agent),
    row.state === "poisoned" ? style.bad(row.state) : row.state,
    String(row.priority),
    shorten(oneLine(detailOf(row)), LONGEST_REASON),
  ])
  const poisoned = rows.filter(({ state }) => state === "poisoned").length
  return [
    ...Table.lines(style, ["task", "agent", "state", ...Table.right("priority"), ""], cells),
    ...(poisoned === 0
      ? []
      : ["", `${count(poisoned, "task")} poisoned: \`hindcast task requeue TASK\` lets runners try again.`]),
  ]
}

const detailOf = ({ state, claim, notBefore, poisoned, failure, labels }: QueueRow): string => {
  if (state === "poisoned") return poisoned ?? ""
  if (state === "claimed") return `by ${claim?.runner}`
  if (notBefore !== undefined) return `not before ${iso(notBefore)}${failure === undefined ? "" : `: ${failure}`}`
  return labels.length === 0 ? "" : `needs ${labels.join(", ")}`
}

export const requeue = Command.make(
  "requeue",
  { ...common, task: argument("task", "The id of a queued task") },
  ({ log, json, task }) =>
    Effect.gen(function* () {
      const event = yield* (yield* TaskQueue).requeue(task, { by: userName() })
      yield* Output.show(json, event, (style) => [
        `Task ${style.name(task)} waits for a runner ${style.dim(at(event.position))}`,
      ])
    }).pipe(Effect.provide(OpenLog.forWriting(log))),
).pipe(Command.withDescription("Give a poisoned task, or one that waits for a time, back to the runners"))
