/** Methods about the environment's past: states, differences, causes and effects. */
import { Effect, Schema } from "effect"
import * as Moment from "../../../events/read/Moment.ts"
import * as TaskPresent from "../../../kernel/recovery/TaskPresent.ts"
import * as Predicate from "../../../kernel/rules/Predicate.ts"
import * as WhyFailed from "../../../projections/explanation/WhyFailed.ts"
import { TimeTravel } from "../../../projections/timetravel/TimeTravel.ts"
import { defined } from "../../../values/defined.ts"
import * as Ids from "../../command/Ids.ts"
import * as DiffPage from "../../pages/time/DiffPage.ts"
import * as Method from "../Method.ts"

const { optional } = Method
const moment = Schema.Union(Schema.Number, Schema.String)

const state = Method.question(
  "log.state",
  { at: optional(moment), path: optional(Schema.String) },
  ({ at = "now", path = "" }) => Effect.flatMap(TimeTravel, (travel) => travel.stateAt(at, path)),
)

const diff = Method.question("log.diff", { from: moment, to: moment }, ({ from: a, to: b }) =>
  Effect.map(DiffPage.load(a, b), ({ from, to, changes }) => ({
    from: from.position,
    to: to.position,
    timelines: { from: from.timeline, to: to.timeline },
    changes,
  })),
)

const range = { since: optional(moment), until: optional(moment) }

const history = Method.listing("log.history", { path: Schema.String, ...range }, ({ path, ...between }) =>
  Effect.map(TimeTravel, (travel) => travel.history(path, defined(between))),
)

const blame = Method.question("log.blame", { path: Schema.String, at: optional(moment) }, ({ path, at }) =>
  Effect.gen(function* () {
    const { value, ...blamed } = yield* (yield* TimeTravel).blame(path, at)
    return { ...blamed, exists: value !== undefined, value: value ?? null }
  }),
)

const why = Method.question("log.why", { event: moment }, ({ event }) =>
  Effect.flatMap(TimeTravel, (travel) => travel.why(event)),
)

const effects = Method.question(
  "log.effects",
  { event: moment, limit: optional(Schema.Number), forks: optional(Schema.Boolean) },
  ({ event, ...options }) => Effect.flatMap(TimeTravel, (travel) => travel.effects(event, defined(options))),
)

const bisect = Method.question(
  "log.bisect",
  { when: Schema.String, from: optional(moment), to: optional(moment), scan: optional(Schema.Boolean) },
  ({ when, ...options }) =>
    Effect.gen(function* () {
      const predicate = yield* Predicate.compile(when)
      return yield* (yield* TimeTravel).bisect(predicate, defined(options))
    }),
)

const watch = Method.listing("log.watch", { when: Schema.String, path: optional(Schema.String), ...range }, (given) =>
  Effect.gen(function* () {
    const { when, path = null, ...between } = given
    const predicate = yield* Predicate.compile(when)
    return (yield* TimeTravel).watch(path, predicate, defined(between))
  }),
)

const explain = Method.question("log.explain", { task: Schema.String }, ({ task }) =>
  Effect.gen(function* () {
    const taskId = yield* Ids.task(task)
    return yield* WhyFailed.load(taskId, { activity: yield* TaskPresent.of(taskId) })
  }),
)

/** The position and timeline of a moment, for clients that keep it. */
const locate = Method.question("log.locate", { moment }, ({ moment }) => Moment.locate(moment))

export const METHODS: ReadonlyArray<Method.Method> = [
  state,
  diff,
  history,
  blame,
  why,
  effects,
  bisect,
  watch,
  explain,
  locate,
]
