/** Methods that open and close logs, and list their tasks and events. */
import { Effect, Option, Schema, Stream } from "effect"
import { EventLog } from "../../../events/log/EventLog.ts"
import * as Moment from "../../../events/read/Moment.ts"
import * as Pages from "../../../events/read/Pages.ts"
import { Projector } from "../../../projections/projector/Projector.ts"
import * as OwnWork from "../../../projections/state/files/OwnWork.ts"
import * as Tasks from "../../../projections/state/Tasks.ts"
import * as Outcome from "../../../projections/summary/Outcome.ts"
import * as EventTypes from "../../command/EventTypes.ts"
import * as Ids from "../../command/Ids.ts"
import * as ListedTasks from "../../task/looking/ListedTasks.ts"
import * as ShownTasks from "../../task/looking/ShownTasks.ts"
import * as Cursors from "../Cursors.ts"
import * as Method from "../Method.ts"
import * as Selection from "./Selection.ts"

const { optional } = Method

const Opening = Schema.Struct({ path: optional(Schema.String), personal: optional(Schema.Boolean) })

const open = Method.make("log.open", Opening, ({ path, personal = true }, { logs }) =>
  Effect.map(logs.open(path, personal), ({ number, filename, position }) => ({
    log: number,
    path: filename,
    position,
  })),
)

const close = Method.make("log.close", Schema.Struct({ log: Schema.Number }), ({ log }, { logs }) => logs.close(log))

const cursorNext = Method.make("cursor.next", Schema.Struct({ cursor: Schema.Number }), ({ cursor }, { cursors }) =>
  Cursors.next(cursors, cursor),
)

const cursorClose = Method.make("cursor.close", Schema.Struct({ cursor: Schema.Number }), ({ cursor }, { cursors }) =>
  Cursors.close(cursors, cursor),
)

const head = Method.question("log.head", {}, () => Effect.flatMap(EventLog, (log) => log.head))

const { outcomes: _, ...conditions } = Selection.fields

/** Open tasks too. `outcomes` are those of `task ls`. */
const tasks = Method.listing(
  "log.tasks",
  {
    ...conditions,
    outcomes: optional(Schema.Array(Schema.Literal(...Outcome.OUTCOMES))),
    own: optional(Schema.Boolean),
  },
  ({ outcomes, own = false, ...selected }) =>
    Effect.gen(function* () {
      const listed = yield* ListedTasks.all
      const ids = yield* Selection.ids(selected)
      const chosen = ids === undefined ? undefined : new Set(ids)
      const found = listed.tasks.filter(
        (task) =>
          (outcomes === undefined || outcomes.includes(Outcome.of(task))) &&
          (own || !OwnWork.isOwn(task)) &&
          // A selection is about tasks of this timeline.
          (chosen === undefined || (task.timeline === undefined && chosen.has(task.id))),
      )
      return Stream.fromIterable(yield* shown(found, true))
    }),
)

const task = Method.question("log.task", { task: Schema.String }, ({ task }) =>
  Effect.gen(function* () {
    const id = yield* Ids.task(task)
    const known = (yield* (yield* Projector).current(Tasks.projection))[id]
    const [found] = known === undefined ? [] : yield* shown([{ id, ...known }], false)
    return found
  }),
)

/** Tasks as `task ls` lists them, with the activities of open ones and their scores. */
const shown = (tasks: ReadonlyArray<ShownTasks.ListedTask>, all: boolean) =>
  Effect.flatMap(ShownTasks.looked(tasks), (looked) => ShownTasks.scored(looked, { scores: Option.none(), all }))

const moment = Schema.Union(Schema.Number, Schema.String)

const events = Method.listing(
  "log.events",
  {
    task: optional(Schema.String),
    since: optional(moment),
    until: optional(moment),
    types: optional(Schema.Array(Schema.String)),
  },
  ({ task, since, until, types = [] }) =>
    Effect.gen(function* () {
      const log = yield* EventLog
      const { position } = yield* log.head
      const range = yield* Moment.checkedRange({
        after: since === undefined ? 0 : yield* Moment.resolve(since),
        until: until === undefined ? position : Math.min(yield* Moment.resolve(until), position),
      })
      const known = yield* EventTypes.checked(types)
      return Pages.stream(log.readPage, {
        ...range,
        timeline: log.timeline,
        ...(task === undefined ? {} : { taskId: yield* Ids.task(task) }),
        ...(known.length === 0 ? {} : { types: known }),
      })
    }),
)

const event = Method.question("log.event", { event: moment }, ({ event }) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const position = yield* Moment.resolve(event)
    const [found] = position === 0 ? [] : yield* log.readPage({ after: position - 1, until: position }, 1)
    return found ?? (yield* new Moment.EventNotFound({ event, log: log.name }))
  }),
)

export const METHODS: ReadonlyArray<Method.Method> = [
  open,
  close,
  cursorNext,
  cursorClose,
  head,
  tasks,
  task,
  events,
  event,
]
