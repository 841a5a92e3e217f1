/** The commands `hindcast log ls` and `hindcast log show`. */

import { Command } from "@effect/cli"
import { Effect, Option } from "effect"
import { EventLog, type Query } from "../../events/log/EventLog.ts"
import * as Moment from "../../events/read/Moment.ts"
import * as AnnotationList from "../../projections/annotations/AnnotationList.ts"
import { NothingListed } from "../command/BadInput.ts"
import { argument, common, optionalText, repeatedText } from "../command/CommonOptions.ts"
import * as EventTypes from "../command/EventTypes.ts"
import * as Ids from "../command/Ids.ts"
import * as LimitOption from "../command/LimitOption.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as TimelineOption from "../command/TimelineOption.ts"
import * as EventLine from "../pages/events/EventLine.ts"
import * as EventPage from "../pages/events/EventPage.ts"

const filters = {
  after: optionalText("after", "Only events after this moment: the first ones"),
  until: optionalText("until", "Only events up to this moment"),
  type: repeatedText("type", "Only events of this type"),
  task: optionalText("task", "Only events of this task"),
  stream: optionalText("stream", "Only events of this stream, such as kernel or task/ID"),
  timeline: optionalText(
    "timeline",
    "Only the history of this timeline, including the part that it shares with its parents. Default: the events of all timelines",
  ),
  limit: LimitOption.lastOrFirst("after"),
}

export const ls = Command.make("ls", { ...common, ...filters }, ({ log, json, limit, timeline, ...filters }) =>
  Effect.gen(function* () {
    const query = yield* queryOf(filters)
    const named = Option.match(timeline, { onNone: () => query, onSome: (name) => ({ ...query, timeline: name }) })
    const some = yield* eventsOf(named, limit, filters.after)
    const isNone = some.shown.length === 0 && (query.stream !== undefined || query.types !== undefined)
    if (isNone && !json) return yield* noneOf(query, timeline)
    yield* Output.show(json, { events: some.shown, more: some.beyond !== undefined }, (style) =>
      LimitOption.lines(style, some, EventLine.lines, "No such event is in this log."),
    )
    if (isNone) return yield* noneOf(query, timeline)
  }).pipe(TimelineOption.provide(timeline), Effect.provide(OpenLog.forEvents(log))),
).pipe(Command.withDescription("List events, oldest first: position, time, type, actor, summary"))

const noneOf = ({ types = [], stream }: Query, timeline: Option.Option<string>) =>
  new NothingListed({
    expected: `an event${types.length === 0 ? "" : ` of type ${types.join(" or ")}`}${stream === undefined ? "" : ` of stream ${stream}`}`,
    found: `none ${TimelineOption.where(timeline)} that fits all filters`,
  })

interface Filters {
  readonly after: Option.Option<string>
  readonly until: Option.Option<string>
  readonly type: ReadonlyArray<string>
  readonly task: Option.Option<string>
  readonly stream: Option.Option<string>
}

const queryOf = ({ after, until, type, task, stream }: Filters) =>
  Effect.gen(function* () {
    const types = yield* EventTypes.checked(type)
    const query: Query = {
      ...(Option.isNone(after) ? {} : { after: yield* Moment.resolve(after.value) }),
      ...(Option.isNone(until) ? {} : { until: yield* Moment.resolve(until.value) }),
      ...(Option.isNone(task) ? {} : { taskId: yield* Ids.task(task.value) }),
      ...(Option.isNone(stream) ? {} : { stream: stream.value }),
      ...(types.length === 0 ? {} : { types }),
    }
    return query
  })

/**
 * The first events of a query, or the last ones. Without filters the last ones are the last positions, so this counts
 * earlier events without reading them.
 */
const eventsOf = (query: Query, limit: number, after: Option.Option<string>) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    if (Option.isSome(after)) return yield* LimitOption.of(log.read(query), limit, after)
    const filters = [query.taskId, query.stream, query.types, query.timeline]
    const filtered = filters.some((filter) => filter !== undefined)
    const until = query.until ?? (yield* log.head).position
    const skipped = filtered ? 0 : Math.max(0, until - limit)
    return yield* LimitOption.of(log.read({ ...query, after: skipped, until }), limit, after, skipped)
  })

const eventArgument = argument("event", "Its position (@412) or its id")

export const show = Command.make("show", { ...common, event: eventArgument }, ({ log, json, event: wanted }) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const position = yield* Moment.resolve(wanted)
    const [event] = position === 0 ? [] : yield* log.readPage({ after: position - 1, until: position }, 1)
    if (event === undefined) return yield* new Moment.EventNotFound({ event: wanted, log: log.name })
    const annotations = yield* AnnotationList.ofEvent(log, event.position)
    const document = annotations.length === 0 ? event : { ...event, annotations }
    yield* Output.show(json, document, (style) => EventPage.lines(style, event, annotations))
  }).pipe(Effect.provide(OpenLog.forEvents(log))),
).pipe(Command.withDescription("Show one complete event"))
