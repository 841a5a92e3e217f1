/** The paths of the API, with the schema and handler of each. */

import { Effect, type Schema, type Stream } from "effect"
import type { EventLog } from "../../events/log/EventLog.ts"
import type { Records } from "../../events/read/Records.ts"
import type { Confirmations } from "../../kernel/gate/Confirmations.ts"
import * as JsonLines from "../../platform/loopback/JsonLines.ts"
import type * as LoopbackServer from "../../platform/loopback/LoopbackServer.ts"
import { answer, bodyOf } from "../../platform/loopback/Messages.ts"
import { type Failure, only, refuse, shown } from "../../platform/loopback/Refusal.ts"
import * as ServerSentEvents from "../../platform/loopback/ServerSentEvents.ts"
import type { Projector } from "../../projections/projector/Projector.ts"
import type { TimeTravel } from "../../projections/timetravel/TimeTravel.ts"
import { Allowed, type Role, RoleMissing } from "../Allowed.ts"
import * as Annotations from "../answers/annotations/Annotations.ts"
import * as Chunks from "../answers/Chunks.ts"
import * as Compare from "../answers/Compare.ts"
import * as Behaviour from "../answers/collective/Behaviour.ts"
import * as Curricula from "../answers/curricula/Curricula.ts"
import * as Events from "../answers/Events.ts"
import * as Forks from "../answers/Forks.ts"
import * as FileChanges from "../answers/files/FileChanges.ts"
import * as FileText from "../answers/files/FileText.ts"
import * as FileTree from "../answers/files/FileTree.ts"
import * as Live from "../answers/Live.ts"
import * as Log from "../answers/Log.ts"
import * as Plugins from "../answers/Plugins.ts"
import * as Query from "../answers/Query.ts"
import * as Questions from "../answers/Questions.ts"
import * as Rescores from "../answers/Rescores.ts"
import * as Rewards from "../answers/Rewards.ts"
import * as Rubrics from "../answers/Rubrics.ts"
import * as Scenarios from "../answers/Scenarios.ts"
import * as Searches from "../answers/Searches.ts"
import * as Talk from "../answers/Talk.ts"
import * as Tasks from "../answers/Tasks.ts"
import * as Density from "../answers/timeline/Density.ts"
import * as Relatives from "../answers/timeline/Relatives.ts"
import * as Rows from "../answers/timeline/Rows.ts"
import * as Tree from "../answers/timeline/Tree.ts"
import * as Values from "../answers/Values.ts"
import * as Verdicts from "../answers/Verdicts.ts"
import { StudioLog } from "../StudioLog.ts"

export interface Exchange extends LoopbackServer.Exchange {
  readonly heartbeatMs: number
}

export type Needs = EventLog | Records | Projector | TimeTravel | Confirmations | StudioLog | Allowed

interface Route {
  readonly method: "GET" | "POST"
  /** The role that a person of a shared Studio needs on the log. */
  readonly role: Role
  readonly handle: (exchange: Exchange) => Effect.Effect<void, Failure, Needs>
}

/** Answers with JSON, and pauses the index meanwhile. */
const get = <A, I, E extends Failure>(
  role: Role,
  schema: Schema.Schema<A, I>,
  ask: (query: A) => Effect.Effect<object | undefined, E, Needs>,
): Route => ({
  role,
  method: "GET",
  handle: ({ response, path, parameters }) =>
    Effect.gen(function* () {
      const { answering } = yield* StudioLog
      const query = yield* Query.decode(path, schema, parameters)
      yield* answer(response, 200, (yield* answering(ask(query))) ?? {})
    }),
})

/** Like `get`, for answers that wait for the whole index and so must not pause it. */
const getByIndex = <A, I, E extends Failure>(
  role: Role,
  schema: Schema.Schema<A, I>,
  ask: (query: A) => Effect.Effect<object, E, Needs>,
): Route => ({
  role,
  method: "GET",
  handle: ({ response, path, parameters }) =>
    Effect.gen(function* () {
      const query = yield* Query.decode(path, schema, parameters)
      yield* answer(response, 200, yield* ask(query))
    }),
})

/** Answers with lines of JSON. A request that fails before the first line gets an error status. */
const lines = <A, I, E extends Failure, E2 extends Failure>(
  role: Role,
  schema: Schema.Schema<A, I>,
  ask: (query: A) => Effect.Effect<Stream.Stream<object, E2, Needs>, E, Needs>,
): Route => ({
  role,
  method: "GET",
  handle: ({ response, path, parameters }) =>
    Effect.gen(function* () {
      const query = yield* Query.decode(path, schema, parameters)
      yield* JsonLines.write(response, yield* ask(query))
    }),
})

/** Answers with server-sent events. */
const events = <A, I, E extends Failure>(
  role: Role,
  schema: Schema.Schema<A, I>,
  ask: (query: A) => Effect.Effect<Stream.Stream<ServerSentEvents.ServerSentEvent, never, Needs>, E, Needs>,
): Route => ({
  role,
  method: "GET",
  handle: ({ response, path, parameters, heartbeatMs }) =>
    Effect.gen(function* () {
      const query = yield* Query.decode(path, schema, parameters)
      const told = yield* ask(query)
      yield* ServerSentEvents.write(response, told, heartbeatMs)
      response.end()
    }),
})

const post = <A, I, E extends Failure>(
  role: Role,
  schema: Schema.Schema<A, I>,
  perform: (body: A) => Effect.Effect<object, E, Needs>,
): Route => ({
  role,
  method: "POST",
  handle: ({ request, response }) =>
    Effect.gen(function* () {
      yield* answer(response, 200, yield* perform(yield* bodyOf(request, schema)))
    }),
})

const routes: ReadonlyMap<string, Route> = new Map(
  Object.entries({
    "/api/log": get("see", Log.LogQuery, Log.log),
    "/api/density": get("see", Density.DensityQuery, Density.density),
    "/api/tasks": getByIndex("see", Tasks.ListQuery, Tasks.list),
    "/api/overview": getByIndex("see", Tasks.OverviewQuery, Tasks.overview),
    "/api/groups": getByIndex("see", Tasks.GroupQuery, Tasks.groups),
    "/api/reasons": get("see", Tasks.ReasonsQuery, Tasks.reasons),
    "/api/task": get("see", Tasks.ScoredTaskQuery, Tasks.head),
    "/api/failure": get("see", Tasks.ScoredTaskQuery, Tasks.failure),
    "/api/course": get("see", Tasks.TaskQuery, Tasks.course),
    "/api/tree": get("see", Tasks.TaskQuery, Tree.tree),
    "/api/relatives": get("see", Tasks.TaskQuery, Relatives.relatives),
    "/api/spans": get("see", Tasks.TaskQuery, Tasks.spans),
    "/api/rows": get("see", Rows.RowsQuery, Rows.rows),
    "/api/scorings": get("see", Rewards.ScoringsQuery, Rewards.scorings),
    "/api/rewards": get("see", Rewards.RewardsQuery, Rewards.rewards),
    "/api/verdicts": get("see", Tasks.TaskQuery, Verdicts.verdicts),
    "/api/capture": get("see", Tasks.TaskQuery, Tasks.capture),
    "/api/chunk": get("see", Chunks.SliceQuery, Chunks.slice),
    "/api/event": get("see", Events.EventQuery, Events.event),
    "/api/why": get("see", Events.EventQuery, Events.why),
    "/api/effects": get("see", Events.EffectsQuery, Events.effects),
    "/api/files": get("see", FileTree.FilesQuery, FileTree.files),
    "/api/file": get("see", FileText.FileQuery, FileText.file),
    "/api/file-changes": get("see", FileChanges.ChangesQuery, FileChanges.changes),
    "/api/saw": get("see", Events.SawQuery, Events.saw),
    "/api/curl": get("see", Events.SawQuery, Events.curl),
    "/api/locate": get("see", Values.LocateQuery, Values.locate),
    "/api/history": get("see", Values.HistoryQuery, Values.history),
    "/api/find": lines("see", Searches.FindQuery, Searches.find),
    "/api/search": get("see", Searches.SearchQuery, Searches.search),
    "/api/live": events("see", Live.LiveQuery, Live.live),
    "/api/questions": get("see", Questions.QuestionsQuery, Questions.questions),
    "/api/answers": post("answer", Questions.AnswerBody, Questions.answer),
    "/api/talk": events("see", Talk.TalkQuery, Talk.talk),
    "/api/inputs": post("answer", Talk.InputBody, Talk.input),
    "/api/annotations": get("see", Annotations.AnnotationsQuery, Annotations.annotations),
    "/api/annotate": post("annotate", Annotations.AnnotateBody, Annotations.annotate),
    "/api/compare": get("see", Compare.CompareQuery, Compare.compare),
    "/api/differences": get("see", Compare.DifferencesQuery, Compare.differences),
    "/api/runs": get("see", Compare.RunsQuery, Compare.runs),
    "/api/behaviour": get("see", Tasks.TaskQuery, Behaviour.behaviour),
    "/api/curricula": get("see", Curricula.CurriculaQuery, Curricula.curricula),
    "/api/plugins": get("see", Plugins.PluginsQuery, Plugins.plugins),
    "/api/forks": post("fork", Forks.ForkBody, Forks.fork),
    "/api/rubrics/check": post("write", Rescores.RescoreBody, Rubrics.check),
    "/api/rubrics/preview": post("write", Rubrics.PreviewBody, Rubrics.preview),
    "/api/rubric": get("see", Rubrics.RubricQuery, Rubrics.ofSet),
    "/api/scenarios": get("write", Scenarios.ListQuery, Scenarios.list),
    "/api/scenario": get("write", Scenarios.ReadQuery, Scenarios.read),
    "/api/schemas": get("write", Scenarios.SchemaQuery, Scenarios.schema),
    "/api/scenarios/check": post("write", Scenarios.CheckBody, Scenarios.check),
    "/api/scenarios/save": post("write", Scenarios.SaveBody, Scenarios.save),
    "/api/scenarios/look": post("write", Scenarios.LookBody, Scenarios.look),
    "/api/scenarios/run": post("write", Scenarios.RunBody, Scenarios.run),
    "/api/rescores": post("write", Rescores.RescoreBody, Rescores.rescore),
  }),
)

export const known: ReadonlyArray<Pick<Route, "method" | "role"> & { readonly path: string }> = [...routes].map(
  ([path, { method, role }]) => ({ path, method, role }),
)

/** Handles a request to the API. Refuses every other path and method, and a person without the path's role. */
export const handle = (exchange: Exchange): Effect.Effect<void, Failure, Needs> => {
  const { path, request } = exchange
  const route = routes.get(path)
  return route === undefined
    ? refuse(404, "NotFound", `one of ${[...routes.keys()].join(", ")}`, shown(path))
    : only(route.method, request.method, Effect.zipRight(permitted(route.role), route.handle(exchange)))
}

const permitted = (role: Role) =>
  Effect.flatMap(Allowed, ({ person }) =>
    person === undefined || person.roles.has(role)
      ? Effect.void
      : new RoleMissing({ account: person.account, role, roles: [...person.roles] }),
  )
