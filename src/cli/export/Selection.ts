/** The options that select the events of an export, and their queries. */
import { Effect, Option } from "effect"
import { EventLog, type Query } from "../../events/log/EventLog.ts"
import * as Moment from "../../events/read/Moment.ts"
import * as Timelines from "../../events/read/Timelines.ts"
import type { Head } from "../../events/vocabulary/Event.ts"
import { NothingListed } from "../command/BadInput.ts"
import { optionalText, repeatedText } from "../command/CommonOptions.ts"
import * as EventTypes from "../command/EventTypes.ts"
import * as Ids from "../command/Ids.ts"

export const options = {
  task: optionalText("task", "Only events of this task"),
  since: optionalText("since", "Only events after this moment"),
  until: optionalText("until", "Only events up to this moment. Default: the end of the log when the export begins"),
  timeline: optionalText(
    "timeline",
    "Only the history of this timeline, including the part that it shares with its parents",
  ),
}

export const type = repeatedText("type", "Only events of this type")

export interface Typed {
  readonly task: Option.Option<string>
  readonly since: Option.Option<string>
  readonly until: Option.Option<string>
  readonly timeline: Option.Option<string>
  readonly type?: ReadonlyArray<string>
}

export interface EventSelection {
  /** The range of positions, from after `after` through `until`. */
  readonly after: number
  readonly until: number
  /** The queries, in order. A fork's history begins with its ancestors' events. */
  readonly queries: ReadonlyArray<Query>
  /** The log's head at the start of the export, which leaves out later events. */
  readonly head: Head
  readonly whole: boolean
}

export const resolve = ({ task, since, until: upTo, timeline, type = [] }: Typed) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const head = yield* log.head
    const after = Option.isNone(since) ? 0 : yield* Moment.resolve(since.value)
    const until = Option.isNone(upTo) ? head.position : Math.min(yield* Moment.resolve(upTo.value), head.position)
    yield* Moment.checkedRange({ after, until })
    const types = yield* EventTypes.checked(type)
    const query = {
      ...(Option.isNone(task) ? {} : { taskId: yield* Ids.task(task.value) }),
      ...(types.length === 0 ? {} : { types }),
    }
    const whole = Option.isNone(task) && Option.isNone(timeline) && types.length === 0
    const spans = Option.isNone(timeline) ? undefined : (yield* Timelines.named(log, timeline.value)).spans
    const queries: ReadonlyArray<Query> =
      spans === undefined ? [{ ...query, after, until }] : Timelines.splitBySpan(spans, { ...query, after, until })
    if (types.length > 0) yield* checkSome(log, queries, types)
    return { after, until, queries, head, whole } satisfies EventSelection
  })

/** Fails if no event has one of these types: an empty file would look like a result. */
const checkSome = (log: EventLog.Service, queries: ReadonlyArray<Query>, types: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    for (const query of queries) if ((yield* log.readPage(query, 1)).length > 0) return
    return yield* new NothingListed({
      expected: `an event of type ${types.join(" or ")}`,
      found: "none in the selection",
    })
  })
