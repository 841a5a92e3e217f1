/** How the agents of a recorded task behave together, read from the log. */

import { Data, Effect, Schema } from "effect"
import { EventLog, type LogError } from "../../events/log/EventLog.ts"
import * as Pages from "../../events/read/Pages.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import * as Options from "../../values/Options.ts"
import { TaskNotFound } from "../audit/AuditDocument.ts"
import * as Collective from "./Collective.ts"

export type { Changes, Collective, Influence, Period, Speech } from "./Collective.ts"

/** Options of `load`. */
export interface CollectiveOptions {
  /** The actions that count as cooperation, such as `prisoners-dilemma/step 0`. Default: nobody says which do. */
  readonly cooperative?: ReadonlyArray<string>
}

const CollectiveOptions = Options.of<CollectiveOptions>({ optional: { cooperative: Schema.Array(Options.Text) } })

/** Name a task of several agents. */
export class OfOneAgent extends Data.TaggedError("OfOneAgent")<{
  readonly taskId: string
  /** The number of agents that have names: 0 or 1. */
  readonly agents: number
}> {
  /** The agents that the task has, in words. */
  get found(): string {
    return this.agents === 0 ? "one that has no names for its agents" : "one agent"
  }

  override get message() {
    return `${this.taskId}: expected a task with several agents, found ${this.found}.`
  }
}

/** Name an action that an agent of the task took. */
export class NoSuchAction extends Data.TaggedError("NoSuchAction")<{
  readonly action: string
  /** The actions of the task. */
  readonly known: ReadonlyArray<string>
}> {
  /** The action that the error expects, in words. */
  get expected(): string {
    return `an action of the task (${this.known.slice(0, SHOWN_ACTIONS).join(", ") || "none"})`
  }

  override get message() {
    return `cooperative: expected ${this.expected}, found "${this.action}".`
  }
}

/** Actions that an error lists. */
const SHOWN_ACTIONS = 12

/**
 * Reads who spoke to whom, who acted differently after hearing whom, and cooperation and rewards over time, on the log's
 * timeline. Counts unknown things as null, never as 0.
 */
export const load = (
  taskId: string,
  options: CollectiveOptions = {},
): Effect.Effect<
  Collective.Collective,
  TaskNotFound | OfOneAgent | NoSuchAction | Options.InvalidOptions | LogError,
  EventLog
> =>
  Effect.gen(function* () {
    const { cooperative } = yield* Options.decode("collective", CollectiveOptions, options)
    const log = yield* EventLog
    const readPage: Pages.ReadPage = (query, limit) => log.readPage({ ...query, timeline: log.timeline }, limit)
    const found = yield* read(readPage, taskId, cooperative ?? null)
    if (found.agents.length < 2) return yield* new OfOneAgent({ taskId, agents: found.agents.length })
    const unknown = cooperative?.find((action) => !found.actions.includes(action))
    if (unknown !== undefined) return yield* new NoSuchAction({ action: unknown, known: found.actions })
    return found
  })

/**
 * Reads the same from pages of a timeline, also of a task with one agent.
 *
 * @param cooperative the actions that count as cooperation; null if nobody says
 */
export const read = (
  readPage: Pages.ReadPage,
  taskId: string,
  cooperative: ReadonlyArray<string> | null = null,
): Effect.Effect<Collective.Collective, TaskNotFound | LogError> =>
  Effect.gen(function* () {
    const [opened] = yield* readPage({ taskId, types: ["TaskOpened"] }, 1)
    if (opened === undefined) return yield* new TaskNotFound({ taskId })
    const events: Array<Event> = []
    yield* Pages.forEach(readPage, { taskId, types: Collective.TYPES }, (page) => {
      for (const event of page) events.push(event)
    })
    return Collective.of(taskId, events, cooperative)
  })
