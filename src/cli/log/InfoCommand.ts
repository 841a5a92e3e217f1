/** The command `hindcast log info`: a log's contents in numbers, and the space that they take. */
import { Command } from "@effect/cli"
import { Effect, type Option } from "effect"
import { EventLog, type LogError, MAIN } from "../../events/log/EventLog.ts"
import * as Pages from "../../events/read/Pages.ts"
import { Records } from "../../events/read/Records.ts"
import { measureSpace } from "../../events/sqlite/archive/storageUsage.ts"
import * as Vocabulary from "../../events/vocabulary/Vocabulary.ts"
import { fold } from "../../projections/fold/Projection.ts"
import { Projector } from "../../projections/projector/Projector.ts"
import * as PluginRegistry from "../../projections/state/PluginRegistry.ts"
import * as TaskList from "../../projections/state/TaskList.ts"
import * as KeptSnapshots from "../../projections/unfinished/KeptSnapshots.ts"
import { defined } from "../../values/defined.ts"
import { common } from "../command/CommonOptions.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as InfoPage from "../pages/log/InfoPage.ts"

/** Maximum number of streams listed, as text and as JSON. The rest appears as a total. */
const STREAMS_ON_PAGE = 20
const STREAMS_IN_JSON = 10_000

export const info = Command.make("info", common, ({ log: place, json }) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const head = yield* log.head
    const space = yield* spaceOf(place, log.name, json ? STREAMS_IN_JSON : STREAMS_ON_PAGE)
    const document: InfoPage.Info = {
      path: log.name,
      bytes: space.fileBytes,
      head,
      types: Object.fromEntries(space.types.map(({ name, events }) => [name, events])),
      tasks: yield* TaskList.count(log, yield* Records),
      plugins: yield* listPlugins,
      gate: yield* lastGate,
      snapshot: yield* KeptSnapshots.reach(yield* Projector),
      space,
      ...defined({ oldTransactions: yield* oldTransactionsOf(place) }),
    }
    yield* Output.show(json, document, (style) => InfoPage.lines(style, document))
  }).pipe(Effect.provide(OpenLog.forEvents(place))),
).pipe(Command.withDescription("Statistics of a log, and the parts that take its space"))

const spaceOf = (place: Option.Option<string>, filename: string, streams: number) =>
  Effect.flatMap(OpenLog.serverOf(place), (url) =>
    url === undefined
      ? measureSpace(filename, { streams })
      : Effect.flatMap(
          Effect.promise(() => import("../../events/postgres/space.ts")),
          (server) => server.measureSpace(url, streams),
        ),
  )

/** Undefined for a log in a file. */
const oldTransactionsOf = (place: Option.Option<string>) =>
  Effect.flatMap(OpenLog.serverOf(place), (url) =>
    url === undefined
      ? Effect.succeed(undefined)
      : Effect.flatMap(
          Effect.promise(() => import("../../events/postgres/oldTransactions.ts")),
          (transactions) => transactions.find(url),
        ),
  )

const lastGate: Effect.Effect<InfoPage.Info["gate"], LogError, EventLog> = Effect.gen(function* () {
  const { readPage } = yield* EventLog
  let gate: InfoPage.Info["gate"] = null
  yield* Pages.forEach(readPage, { timeline: MAIN, types: ["KernelStarted"] }, (page) => {
    for (const event of page) if (Vocabulary.is(event, "KernelStarted")) gate = event.payload.gate ?? null
  })
  return gate
})

const PLUGIN_TYPES = ["PluginImported", "PluginRemoved", "PluginActivated", "PluginDeactivated"]

const listPlugins: Effect.Effect<InfoPage.Info["plugins"], LogError, EventLog> = Effect.gen(function* () {
  const { readPage } = yield* EventLog
  let registry = PluginRegistry.projection.initial
  yield* Pages.forEach(readPage, { timeline: MAIN, types: PLUGIN_TYPES }, (page) => {
    registry = fold(PluginRegistry.projection, page, registry)
  })
  return Object.entries(registry).map(([name, { version, active }]) => ({ name, version, active }))
})
