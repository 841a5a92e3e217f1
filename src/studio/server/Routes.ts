/** The paths of the API, with the schema and handler of each. */

import { Effect, type Schema, type Stream } from "effect"
import type { EventLog } from "../../events/log/EventLog.ts"
import type { Records } from "../../events/read/Records.ts"
import type { Confirmations } from "../../kernel/gate/Confirmations.ts"
import * as JsonLines from "../../platform/loopback/JsonLines.ts"
import type * as LoopbackServer from "../../platform/loopback/LoopbackServer.ts"
import { answer, bodyOf } from "../../platform/loopback/Messages.ts"
import { only, refuse, shown } from "../../platform/loopback/Refusal.ts"
import * as ServerSentEvents from "../../platform/loopback/ServerSentEvents.ts"
import type { Projector } from "../../projections/projector/Projector.ts"
import type { TimeTravel } from "../../projections/timetravel/TimeTravel.ts"
import type { Allowed } from "../Allowed.ts"
import * as Chunks from "../answers/Chunks.ts"
import * as Compare from "../answers/Compare.ts"
import * as Events from "../answers/Events.ts"
import * as Forks from "../answers/Forks.ts"
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
import * as Values from "../answers/Values.ts"
import * as Verdicts from "../answers/Verdicts.ts"
import { StudioLog } from "../StudioLog.ts"

type Failure = LoopbackServer.Failure

export interface Exchange extends LoopbackServer.Exchange {
  readonly heartbeatMs: number
}

export type Needs = EventLog | Records | Projector | TimeTravel | Confirmations | StudioLog | Allowed

interface Route {
  readonly method: "GET" | "POST"
  readonly handle: (exchange: Exchange) => Effect.Effect<void, Failure, Needs>
}

/** Answers with JSON, and pauses the index meanwhile. */
const get = <A, I, E extends Failure>(
  schema: Schema.Schema<A, I>,
  ask: (query: A) => Effect.Effect<object | undefined, E, Needs>,
): Route => ({
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
  schema: Schema.Schema<A, I>,
  ask: (query: A) => Effect.Effect<object, E, Needs>,
): Route => ({
  method: "GET",
  handle: ({ response, path, parameters }) =>
    Effect.gen(function* () {
      const query = yield* Query.decode(path, schema, parameters)
      yield* answer(response, 200, yield* ask(query))
    }),
})

/** Answers with lines of JSON. A request that fails before the first line gets an error status. */
const lines = <A, I, E extends Failure, E2 extends Failure>(
  schema: Schema.Schema<A, I>,
  ask: (query: A) => Effect.Effect<Stream.Stream<object, E2, Needs>, E, Needs>,
): Route => ({
  method: "GET",
  handle: ({ response, path, parameters }) =>
    Effect.gen(function* () {
      const query = yield* Query.decode(path, schema, parameters)
      yield* JsonLines.write(response, yield* ask(query))
    }),
})

/** Answers with server-sent events. */
const events = <A, I, E extends Failure>(
  schema: Schema.Schema<A, I>,
  ask: (query: A) => Effect.Effect<Stream.Stream<ServerSentEvents.ServerSentEvent, never, Needs>, E, Needs>,
): Route => ({
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
  schema: Schema.Schema<A, I>,
  perform: (body: A) => Effect.Effect<object, E, Needs>,
): Route => ({
  method: "POST",
  handle: ({ request, response }) =>
    Effect.gen(function* () {
      yield* answer(response, 200, yield* perform(yield* bodyOf(request, schema)))
    }),
})

const routes: ReadonlyMap<string, Route> = new Map(
  Object.entries({
    "/api/log": get(Log.LogQuery, Log.log),
    "/api/density": get(Log.DensityQuery, Log.density),
    "/api/tasks": getByIndex(Tasks.ListQuery, Tasks.list),
    "/api/groups": getByIndex(Tasks.GroupQuery, Tasks.groups),
    "/api/task": get(Tasks.TaskQuery, Tasks.head),
    "/api/course": get(Tasks.TaskQuery, Tasks.course),
    "/api/rewards": get(Rewards.RewardsQuery, Rewards.rewards),
    "/api/verdicts": get(Tasks.TaskQuery, Verdicts.verdicts),
    "/api/capture": get(Tasks.TaskQuery, Tasks.capture),
    "/api/chunk": get(Chunks.SliceQuery, Chunks.slice),
    "/api/event": get(Events.EventQuery, Events.event),
    "/api/why": get(Events.EventQuery, Events.why),
    "/api/effects": get(Events.EffectsQuery, Events.effects),
    "/api/locate": get(Values.LocateQuery, Values.locate),
    "/api/history": get(Values.HistoryQuery, Values.history),
    "/api/find": lines(Searches.FindQuery, Searches.find),
    "/api/search": lines(Searches.SearchQuery, Searches.search),
    "/api/live": events(Live.LiveQuery, Live.live),
    "/api/questions": get(Questions.QuestionsQuery, Questions.questions),
    "/api/answers": post(Questions.AnswerBody, Questions.answer),
    "/api/talk": events(Talk.TalkQuery, Talk.talk),
    "/api/inputs": post(Talk.InputBody, Talk.input),
    "/api/compare": get(Compare.CompareQuery, Compare.compare),
    "/api/plugins": get(Plugins.PluginsQuery, Plugins.plugins),
    "/api/forks": post(Forks.ForkBody, Forks.fork),
    "/api/rubrics/check": post(Rescores.RescoreBody, Rubrics.check),
    "/api/rubrics/preview": post(Rubrics.PreviewBody, Rubrics.preview),
    "/api/rubric": get(Rubrics.RubricQuery, Rubrics.ofSet),
    "/api/scenarios": get(Scenarios.ListQuery, Scenarios.list),
    "/api/scenario": get(Scenarios.ReadQuery, Scenarios.read),
    "/api/schemas": get(Scenarios.SchemaQuery, Scenarios.schema),
    "/api/scenarios/check": post(Scenarios.CheckBody, Scenarios.check),
    "/api/scenarios/save": post(Scenarios.SaveBody, Scenarios.save),
    "/api/scenarios/look": post(Scenarios.LookBody, Scenarios.look),
    "/api/scenarios/run": post(Scenarios.RunBody, Scenarios.run),
    "/api/rescores": post(Rescores.RescoreBody, Rescores.rescore),
  }),
)

export const known: ReadonlyArray<{ readonly path: string; readonly method: Route["method"] }> = [...routes].map(
  ([path, { method }]) => ({ path, method }),
)

/** Handles a request to the API. Refuses every other path and method. */
export const handle = (exchange: Exchange): Effect.Effect<void, Failure, Needs> => {
  const { path, request } = exchange
  const route = routes.get(path)
  return route === undefined
    ? refuse(404, "NotFound", `one of ${[...routes.keys()].join(", ")}`, shown(path))
    : only(route.method, request.method, route.handle(exchange))
}
