/** The command group `hindcast log`, and its commands `ls` and `show`. */
import { Args, Command, Options } from "@effect/cli"
import { Chunk, Effect, Option, Stream } from "effect"
import { EventLog, type Query } from "../../events/log/EventLog.ts"
import * as Moment from "../../events/read/Moment.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { common, wholeNumber } from "../command/CommonOptions.ts"
import * as EventTypes from "../command/EventTypes.ts"
import * as Ids from "../command/Ids.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as EventLine from "../pages/events/EventLine.ts"
import * as EventPage from "../pages/events/EventPage.ts"
import { archive, segments, upgrade } from "./ArchiveCommands.ts"
import { importing } from "./ImportCommand.ts"
import { info } from "./InfoCommand.ts"
import { anchor, doctor, verify } from "./IntegrityCommands.ts"
import { shred, subjects } from "./PersonalCommands.ts"

/** Default number of events that `log ls` shows. */
const LIMIT = 50

const filters = {
  after: Options.text("after").pipe(
    Options.withDescription("Only events after this moment: the first of them"),
    Options.optional,
  ),
  until: Options.text("until").pipe(Options.withDescription("Only events up to this moment"), Options.optional),
  type: Options.text("type").pipe(Options.withDescription("Only events of this type"), Options.repeated),
  task: Options.text("task").pipe(Options.withDescription("Only events of this task"), Options.optional),
  stream: Options.text("stream").pipe(
    Options.withDescription("Only events of this stream, such as kernel or task/ID"),
    Options.optional,
  ),
  limit: wholeNumber("limit", 1).pipe(
    Options.withDescription(`Show at most so many: the last ones, with --after the first ones. Default: ${LIMIT}`),
    Options.withDefault(LIMIT),
  ),
}

const ls = Command.make("ls", { ...common, ...filters }, ({ log, json, limit, ...filters }) =>
  Effect.gen(function* () {
    const query = yield* queryOf(filters)
    const { events, beyond } = Option.isSome(filters.after) ? yield* first(query, limit) : yield* last(query, limit)
    yield* Output.show(json, { events, more: beyond !== undefined }, (style) =>
      events.length === 0
        ? ["No such event is in this log."]
        : [...EventLine.lines(style, events), ...(beyond === undefined ? [] : [style.dim(beyond)])],
    )
  }).pipe(Effect.provide(OpenLog.forEvents(log))),
).pipe(Command.withDescription("List events, oldest first: position, time, type, actor, summary"))

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

/** The events to show, and a line about the remaining ones if there are any. */
interface Selected {
  readonly events: ReadonlyArray<Event>
  readonly beyond: string | undefined
}

const MORE_HINT = "--limit N shows more."

const first = (query: Query, limit: number) =>
  Effect.gen(function* () {
    // One additional event shows whether there are more.
    const page = yield* (yield* EventLog).readPage(query, limit + 1)
    const beyond = page.length > limit ? `Later ones follow; ${MORE_HINT}` : undefined
    return { events: page.slice(0, limit), beyond } satisfies Selected
  })

/** The last `limit` events. Without filters they are the last positions, so earlier events are counted but not read. */
const last = (query: Query, limit: number) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const filtered = query.taskId !== undefined || query.stream !== undefined || query.types !== undefined
    const until = query.until ?? (yield* log.head).position
    const after = filtered ? 0 : Math.max(0, until - limit)
    let passed = after
    const counted = Stream.mapChunks(log.read({ ...query, after, until }), (chunk) => {
      passed += chunk.length
      return chunk
    })
    const events = Chunk.toReadonlyArray(yield* Stream.runCollect(Stream.takeRight(counted, limit)))
    const earlier = passed - events.length
    return { events, beyond: earlier > 0 ? `${earlier} earlier; ${MORE_HINT}` : undefined } satisfies Selected
  })

const eventArgument = Args.text({ name: "event" }).pipe(Args.withDescription("Its position (@412) or its id"))

const show = Command.make("show", { ...common, event: eventArgument }, ({ log, json, event: wanted }) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const position = yield* Moment.resolve(wanted)
    const [event] = position === 0 ? [] : yield* log.readPage({ after: position - 1, until: position }, 1)
    if (event === undefined) return yield* new Moment.EventNotFound({ event: wanted, log: log.name })
    yield* Output.show(json, event, (style) => EventPage.lines(style, event))
  }).pipe(Effect.provide(OpenLog.forEvents(log))),
).pipe(Command.withDescription("Show one event whole"))

/** `hindcast log ls|show|info|verify|anchor|doctor|archive|segments|import|upgrade|subjects|shred` */
export const log = Command.make("log").pipe(
  Command.withDescription("The events of a log"),
  Command.withSubcommands([
    ls,
    show,
    info,
    verify,
    anchor,
    doctor,
    archive,
    segments,
    importing,
    upgrade,
    subjects,
    shred,
  ]),
)
