/** The options that select tasks, for commands that work on many. */
import { Options } from "@effect/cli"
import { Effect, Option } from "effect"
import { EventLog } from "../../events/log/EventLog.ts"
import * as Moment from "../../events/read/Moment.ts"
import * as Chosen from "../../kernel/scoring/TaskSelection.ts"
import type { Tasks } from "../../projections/state/Tasks.ts"
import { adviceOf, BadInput } from "../command/BadInput.ts"
import { optionalText, repeatedText, someOf } from "../command/CommonOptions.ts"
import * as Ids from "../command/Ids.ts"

/** The outcomes of closed tasks. */
export const CLOSED = ["achieved", "finished", "failed", "truncated", "abandoned"] as const

/** Values of one option are alternatives; different options must all match. */
export const options = {
  task: repeatedText(
    "task",
    "Only this task: its id, or at least four characters of its beginning or end, if they are unique",
  ),
  agent: repeatedText("agent", "Only this agent's tasks: `name@version`, or its name alone for all versions"),
  plugin: repeatedText("plugin", "Only tasks that this plugin takes part in"),
  tag: repeatedText("tag", "Only tasks with this tag"),
  outcome: someOf("outcome", CLOSED).pipe(Options.withDescription("Only tasks with this outcome")),
  since: optionalText("since", "Only tasks that opened after this moment"),
  until: optionalText("until", "Only tasks that closed by this moment"),
  where: optionalText("where", "Only tasks for which this CEL expression over `task` is true, such as task.steps > 10"),
}

export interface TaskSelectionInput {
  readonly task: ReadonlyArray<string>
  readonly agent: ReadonlyArray<string>
  readonly plugin: ReadonlyArray<string>
  readonly tag: ReadonlyArray<string>
  readonly outcome: ReadonlyArray<(typeof CLOSED)[number]>
  readonly since: Option.Option<string>
  readonly until: Option.Option<string>
  readonly where: Option.Option<string>
}

/** The selection. Reads tasks only if some are named, or agents, and of those only openings and ends. */
export const selected = (given: TaskSelectionInput) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const named = given.task.length > 0 || given.agent.length > 0
    return yield* selectedAmong(given, named ? yield* Chosen.tasks(log, (yield* log.head).position) : {})
  })

export const selectedAmong = (
  { task, agent, plugin, tag, outcome, since, until, where }: TaskSelectionInput,
  known: Tasks,
) =>
  Effect.gen(function* () {
    const tasks = yield* named(task, Object.keys(known))
    yield* Effect.forEach(agent, (name) => checkAgent(name, known), { discard: true })
    const select = {
      ...(Option.isNone(since) ? {} : { openedAfter: yield* Moment.resolve(since.value) }),
      ...(Option.isNone(until) ? {} : { closedBy: yield* Moment.resolve(until.value) }),
      ...(agent.length === 0 ? {} : { agents: agent }),
      ...(plugin.length === 0 ? {} : { plugins: plugin }),
      ...(tag.length === 0 ? {} : { tags: tag }),
      ...(outcome.length === 0 ? {} : { outcomes: outcome }),
      ...(Option.isNone(where) ? {} : { where: where.value }),
    }
    const found: Chosen.TaskSelection = {
      ...(tasks.length === 0 ? {} : { tasks }),
      ...(Object.keys(select).length === 0 ? {} : { select }),
    }
    return found
  })

/** The ids of tasks that `--task` names, each once. */
export const named = (task: ReadonlyArray<string>, ids: ReadonlyArray<string>) =>
  Effect.flatMap(EventLog, ({ timeline }) =>
    Effect.map(
      Effect.forEach(task, (text) => (text === Ids.NEWEST ? Ids.task(text) : Ids.taskAmong(text, ids, timeline))),
      (found) => [...new Set(found)],
    ),
  )

/** Fails if no task has this agent: a typo is more likely than an empty selection. */
const checkAgent = (agent: string, tasks: Tasks) =>
  Effect.gen(function* () {
    const agents = [...new Set(Object.values(tasks).map((task) => task.agent))]
    if (agents.some((known) => known === agent || known.split("@")[0] === agent)) return
    return yield* new BadInput({
      input: "--agent",
      expected: agents.length === 0 ? "an agent, and there is none yet" : `an agent of this log: ${listed(agents)}`,
      found: `"${agent}"`,
      missing: true,
      ...adviceOf(agent, [...agents, ...agents.map((known) => known.split("@")[0] ?? known)]),
    })
  })

const MAX_AGENTS = 10

const listed = (agents: ReadonlyArray<string>): string => {
  const more = agents.length - MAX_AGENTS
  return `${agents.slice(0, MAX_AGENTS).join(", ")}${more > 0 ? ` and ${more} more` : ""}`
}
