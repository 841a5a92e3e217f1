import { Args, Command, Options } from "@effect/cli"
import { Effect, Option } from "effect"
import { EventLog, type LogError } from "../events/EventLog.ts"
import { type Json, pointerKeys, valueAt } from "../events/Json.ts"
import * as EnvironmentState from "../projections/EnvironmentState.ts"
import * as Moment from "../projections/Moment.ts"
import * as PendingConfirmations from "../projections/PendingConfirmations.ts"
import * as PluginRegistry from "../projections/PluginRegistry.ts"
import { Projector } from "../projections/Projector.ts"
import * as ScoreSets from "../projections/ScoreSets.ts"
import * as Tasks from "../projections/Tasks.ts"
import { PathInvalid, PathNotFound, TimeTravel } from "../projections/TimeTravel.ts"
import { common, oneOf } from "./CommonOptions.ts"
import * as OpenLog from "./OpenLog.ts"
import * as Output from "./Output.ts"
import * as EventLine from "./render/EventLine.ts"
import * as EventPage from "./render/EventPage.ts"
import * as PatchLines from "./render/PatchLines.ts"
import * as Text from "./render/Text.ts"

const MOMENT = "a position (@412), an event's id, or a time with its zone (2026-03-01T12:00:00Z)"

const at = Options.text("at").pipe(Options.withDescription(`The moment: ${MOMENT}. Default: now`), Options.optional)

const projections = ["EnvironmentState", "PluginRegistry", "PendingConfirmations", "Tasks", "ScoreSets"] as const

const projection = oneOf("projection", projections).pipe(
  Options.withDescription("Which projection of the log. Default: EnvironmentState"),
  Options.withDefault("EnvironmentState"),
)

const path = Options.text("path").pipe(
  Options.withDescription("A JSON Pointer (RFC 6901) to a part of it, such as /tasks"),
  Options.withDefault(""),
)

/** `hindcast state` */
export const state = Command.make("state", { ...common, at, projection, path }, ({ log, json, at, projection, path }) =>
  Effect.gen(function* () {
    const position = Option.isNone(at) ? (yield* (yield* EventLog).head).position : yield* Moment.resolve(at.value)
    const part =
      projection === "EnvironmentState"
        ? yield* (yield* TimeTravel).stateAt(position, path)
        : yield* partOf(yield* stateOf(projection, position), path, position)
    yield* Output.show(json, { at: position, projection, path, state: part }, () => [Text.json(part, 2)])
  }).pipe(Effect.provide(OpenLog.forReading(log))),
).pipe(Command.withDescription("The environment, or another projection, as it stood at a moment"))

const stateOf = (name: Exclude<(typeof projections)[number], "EnvironmentState">, position: number) =>
  Effect.gen(function* (): Effect.fn.Return<Json, Moment.PositionOutOfRange | LogError, Projector> {
    const projector = yield* Projector
    switch (name) {
      case "PluginRegistry":
        return yield* projector.stateAt(PluginRegistry.projection, position)
      case "PendingConfirmations":
        return yield* projector.stateAt(PendingConfirmations.projection, position)
      case "Tasks":
        return yield* projector.stateAt(Tasks.projection, position)
      case "ScoreSets":
        return yield* projector.stateAt(ScoreSets.projection, position)
    }
  })

const partOf = (state: Json, path: string, at: number) =>
  Effect.gen(function* () {
    if (path !== "" && !path.startsWith("/")) return yield* new PathInvalid({ path })
    const part = valueAt(state, pointerKeys(path))
    const keys = typeof state === "object" && state !== null ? Object.keys(state) : []
    return part ?? (yield* new PathNotFound({ path, at, parent: "", keys }))
  })

const moment = (name: string) => Args.text({ name }).pipe(Args.withDescription(MOMENT))

/** `hindcast diff @a @b` */
export const diff = Command.make("diff", { ...common, a: moment("a"), b: moment("b") }, ({ log, json, a, b }) =>
  Effect.gen(function* () {
    const [from, to] = [yield* Moment.resolve(a), yield* Moment.resolve(b)]
    const differences = yield* (yield* TimeTravel).diff(from, to)
    const before: Json = yield* (yield* Projector).stateAt(EnvironmentState.projection, from)
    const changes = PatchLines.withBefore(before, differences)
    yield* Output.show(json, { from, to, changes }, (style) =>
      changes.length === 0
        ? [`Nothing differs between ${Text.at(from)} and ${Text.at(to)}.`]
        : PatchLines.lines(style, changes),
    )
  }).pipe(Effect.provide(OpenLog.forReading(log))),
).pipe(Command.withDescription("What differs in the environment between two moments, and which event made it so"))

const pointer = Args.text({ name: "path" }).pipe(
  Args.withDescription("A JSON Pointer (RFC 6901) into the environment, such as /tasks/ID/readings/room~1look"),
)

/** `hindcast blame PATH` */
export const blame = Command.make("blame", { ...common, path: pointer, at }, ({ log, json, path, at }) =>
  Effect.gen(function* () {
    const { value, event, ...blamed } = yield* (yield* TimeTravel).blame(path, Option.getOrUndefined(at))
    const document = { ...blamed, exists: value !== undefined, value: value ?? null, event }
    yield* Output.show(json, document, (style) => [
      `${Text.oneLine(path) || "(all)"} is ${Text.value(value)} ${style.dim(Text.at(blamed.at))}`,
      ...(event === null ? [style.dim("It stands as every log begins.")] : EventLine.lines(style, [event])),
    ])
  }).pipe(Effect.provide(OpenLog.forReading(log))),
).pipe(Command.withDescription("Which event gave a part of the environment its value"))

/** `hindcast why EVENT` */
export const why = Command.make("why", { ...common, event: moment("event") }, ({ log, json, event }) =>
  Effect.gen(function* () {
    const chain = yield* (yield* TimeTravel).why(event)
    yield* Output.show(json, { chain }, (style) => EventPage.chain(style, chain))
  }).pipe(Effect.provide(OpenLog.forReading(log))),
).pipe(Command.withDescription("Why an event happened: its causes, newest first"))
