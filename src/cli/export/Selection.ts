import { Options } from "@effect/cli"
import { Effect, Option } from "effect"
import { EventLog, type Query } from "../../events/log/EventLog.ts"
import * as Moment from "../../events/read/Moment.ts"
import * as Timelines from "../../events/read/Timelines.ts"
import type { Head } from "../../events/vocabulary/Event.ts"
import * as EventTypes from "../command/EventTypes.ts"
import * as Ids from "../command/Ids.ts"

/** Which events to export, for whatever is made of them. */
export const options = {
  task: Options.text("task").pipe(Options.withDescription("Only events of this task"), Options.optional),
  since: Options.text("since").pipe(Options.withDescription("Only events after this moment"), Options.optional),
  until: Options.text("until").pipe(
    Options.withDescription("Only events up to this moment. Default: the end of the log when the export begins"),
    Options.optional,
  ),
  timeline: Options.text("timeline").pipe(
    Options.withDescription("Only the history of this timeline, with what it shares with those it was forked from"),
    Options.optional,
  ),
}

export const type = Options.text("type").pipe(Options.withDescription("Only events of this type"), Options.repeated)

/** What was typed of it. */
export interface Typed {
  readonly task: Option.Option<string>
  readonly since: Option.Option<string>
  readonly until: Option.Option<string>
  readonly timeline: Option.Option<string>
  readonly type?: ReadonlyArray<string>
}

/** What is exported. */
export interface EventSelection {
  /** After which position, and up to which one. */
  readonly after: number
  readonly until: number
  /** What to read, one after the other: a fork's history is its ancestors' before it is its own. */
  readonly queries: ReadonlyArray<Query>
  /** The log's end when the export began. Whatever is appended meanwhile is not in it. */
  readonly head: Head
  /** Whether these are all events of the range. */
  readonly whole: boolean
}

/** The selection that was typed, at the log's end as it is now. */
export const resolve = ({ task, since, until: upTo, timeline, type = [] }: Typed) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const head = yield* log.head
    const after = Option.isNone(since) ? 0 : yield* Moment.resolve(since.value)
    const until = Option.isNone(upTo) ? head.position : Math.min(yield* Moment.resolve(upTo.value), head.position)
    yield* Moment.inOrder({ after, until })
    const types = yield* EventTypes.checked(type)
    const query = {
      ...(Option.isNone(task) ? {} : { taskId: yield* Ids.task(task.value) }),
      ...(types.length === 0 ? {} : { types }),
    }
    const whole = Option.isNone(task) && Option.isNone(timeline) && types.length === 0
    const spans = Option.isNone(timeline) ? undefined : (yield* Timelines.named(log, timeline.value)).spans
    const queries: ReadonlyArray<Query> =
      spans === undefined ? [{ ...query, after, until }] : Timelines.parts(spans, { ...query, after, until })
    return { after, until, queries, head, whole } satisfies EventSelection
  })
