/** Answers `/api/forks`. */

import { Data, Effect, Schema } from "effect"
import { EventLog } from "../../events/log/EventLog.ts"
import * as Timelines from "../../events/read/Timelines.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import type { Agent } from "../../kernel/agents/Agent.ts"
import * as RecordedEngine from "../../kernel/fork/RecordedEngine.ts"
import * as TimelineName from "../../kernel/fork/TimelineName.ts"
import * as TaskList from "../../projections/state/TaskList.ts"
import { defined } from "../../values/defined.ts"
import { Json } from "../../values/Json.ts"
import * as Options from "../../values/Options.ts"
import { Allowed, type Forks, NotAllowed, untilBegun } from "../Allowed.ts"
import type { ForkMade, ForkOrder } from "../wire/Asking.ts"

export const ForkBody: Schema.Schema<ForkOrder> = Schema.Struct({
  timeline: Schema.NonEmptyString,
  task: Schema.NonEmptyString,
  at: Options.wholeNumber(1, Number.MAX_SAFE_INTEGER),
  agent: Schema.optionalWith(Schema.NonEmptyString, { exact: true }),
  seed: Schema.optionalWith(Options.Seed, { exact: true }),
  readings: Schema.optionalWith(Schema.Record({ key: Schema.String, value: Json }), { exact: true }),
  acceptUnrewound: Schema.optionalWith(Schema.Boolean, { exact: true }),
})

export class AgentNotFound extends Data.TaggedError("AgentNotFound")<{
  readonly agent: string
  readonly known: ReadonlyArray<string>
}> {
  override get message() {
    return `Expected one of the agents that Studio was started with (${this.known.join(", ")}), found ${this.agent}.`
  }
}

/** Forks a task from a moment. Returns once the fork is recorded; its agent keeps running. */
export const fork = (order: ForkOrder) =>
  Effect.gen(function* () {
    const { timeline, task, agent } = order
    const { forks, by } = yield* Allowed
    if (forks === null) return yield* new NotAllowed({ what: "fork tasks", option: "fork" })
    const log = yield* EventLog
    const view = Timelines.view(log, yield* Timelines.named(log, timeline))
    const wanted = agent ?? (yield* TaskList.heading(view, task))?.agent ?? "an agent of no task"
    const chosen =
      forks.agents.get(wanted) ??
      [...forks.agents.values()].find(({ name, version }) => agent === undefined && `${name}@${version}` === wanted)
    if (chosen === undefined) return yield* new AgentNotFound({ agent: wanted, known: [...forks.agents.keys()] })
    return yield* forks.inTurn(begun(forks, chosen, order, by))
  })

const begun = (
  forks: Forks,
  chosen: Agent,
  { timeline, task, at, seed, readings, acceptUnrewound = false }: ForkOrder,
  by: string,
) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const name = TimelineName.next((yield* Timelines.list(log)).map((known) => known.name))
    const { position: after } = yield* log.head
    const overrides = { ...defined({ seed, readings }) }
    const working = yield* forks.begin(chosen, {
      at: `${timeline}@${at}`,
      task,
      timeline: name,
      by,
      overrides,
      acceptUnrewound,
    })
    const forked = log.follow({ after, types: ["TimelineForked"] })
    yield* untilBegun(working, forked, (event) => is(event, "TimelineForked") && event.payload.timeline === name)
    const notes = yield* notesOf(log, name)
    return { timeline: name, task, ...(notes.length === 0 ? {} : { notes }) } satisfies ForkMade
  })

const notesOf = (log: EventLog.Service, timeline: string) =>
  Effect.map(log.readPage({ timeline, types: ["EnvironmentRestored"] }, MAX_NOTES), (restored) =>
    restored.flatMap((event) => {
      if (!is(event, "EnvironmentRestored") || event.payload.engine === undefined) return []
      return [RecordedEngine.words(event.payload.plugin, event.payload.engine)]
    }),
  )

const MAX_NOTES = 100
