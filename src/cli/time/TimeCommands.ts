/** The commands `hindcast state`, `diff`, `blame` and `why`: the state at a moment, and the events behind it. */
import { Args, Command, Options } from "@effect/cli"
import { Effect, Option } from "effect"
import * as Moment from "../../events/read/Moment.ts"
import { Projector } from "../../projections/projector/Projector.ts"
import * as PendingConfirmations from "../../projections/state/PendingConfirmations.ts"
import * as PluginRegistry from "../../projections/state/PluginRegistry.ts"
import * as ScoreSets from "../../projections/state/ScoreSets.ts"
import * as Tasks from "../../projections/state/Tasks.ts"
import { PathInvalid, PathNotFound, TimeTravel } from "../../projections/timetravel/TimeTravel.ts"
import { type Json, pointerKeys, valueAt } from "../../values/Json.ts"
import { BadInput } from "../command/BadInput.ts"
import { argument, common, flag, MOMENT, oneOf, optionalText, text } from "../command/CommonOptions.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as BlamePage from "../pages/time/BlamePage.ts"
import * as DiffPage from "../pages/time/DiffPage.ts"
import * as Text from "../terminal/Text.ts"
import * as PastOptions from "./PastOptions.ts"
import * as StateView from "./StateView.ts"

const at = optionalText("at", `The moment: ${MOMENT}. Default: now`)

const projections = ["EnvironmentState", "PluginRegistry", "PendingConfirmations", "Tasks", "ScoreSets"] as const

const projection = oneOf("projection", projections).pipe(
  Options.withDescription("Which projection of the log. Default: EnvironmentState"),
  Options.withDefault("EnvironmentState"),
)

const path = text("path", "A JSON Pointer (RFC 6901) to a part of it, such as /tasks").pipe(Options.withDefault(""))

const view = flag("view", "Draw the worlds at that moment, by the views in their plugins' manifests")

const plugin = argument("plugin", "With --view: draw only this plugin's world").pipe(Args.optional)

const task = optionalText("task", "With --view: the task whose worlds to draw. Default: the task of the event there")

const options = { ...common, plugin, at, projection, path, view, task }

export const state = Command.make("state", options, ({ log, json, at, projection, path, ...drawn }) =>
  Effect.gen(function* () {
    const { timeline, position } = yield* Moment.locate(Option.getOrElse(at, () => "now"))
    if (drawn.view) return yield* StateView.show(json, { timeline, position, task: drawn.task, plugin: drawn.plugin })
    yield* refuseWithoutView("PLUGIN", drawn.plugin)
    yield* refuseWithoutView("--task", drawn.task)
    const part =
      projection === "EnvironmentState"
        ? yield* (yield* TimeTravel).stateAt(`${timeline}@${position}`, path)
        : yield* partOf(yield* stateOf(projection, timeline, position), path, position)
    yield* Output.showDocument(json, { timeline, at: position, projection, path, state: part }, [Text.json(part, 2)])
  }).pipe(Effect.provide(OpenLog.forPast(log))),
).pipe(Command.withDescription("The environment, or another projection, at a moment"))

const refuseWithoutView = (input: string, given: Option.Option<string>) =>
  Option.isNone(given)
    ? Effect.void
    : new BadInput({
        input,
        expected: "--view with it",
        found: `"${given.value}" alone`,
        advice: "--path shows a part of the state.",
      })

const stateOf = (name: Exclude<(typeof projections)[number], "EnvironmentState">, timeline: string, position: number) =>
  Effect.gen(function* (): Effect.fn.Return<Json, Moment.LocateError, Projector> {
    const projector = yield* (yield* Projector).on(timeline)
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

export const diff = Command.make(
  "diff",
  { ...common, a: PastOptions.moment("a"), b: PastOptions.moment("b") },
  ({ log, json, a, b }) =>
    Effect.gen(function* () {
      const found = yield* DiffPage.load(a, b)
      const { from, to, changes } = found
      const timelines = { from: from.timeline, to: to.timeline }
      yield* Output.show(json, { from: from.position, to: to.position, timelines, changes }, (style) =>
        DiffPage.lines(style, found),
      )
    }).pipe(Effect.provide(OpenLog.forPast(log))),
).pipe(
  Command.withDescription("The differences of the environment between two moments, and the events that caused them"),
)

export const blame = Command.make("blame", { ...common, path: PastOptions.path, at }, ({ log, json, path, at }) =>
  Effect.gen(function* () {
    const found = yield* (yield* TimeTravel).blame(path, Option.getOrUndefined(at))
    const { value, event, ...blamed } = found
    const document = { ...blamed, exists: value !== undefined, value: value ?? null, event }
    yield* Output.show(json, document, (style) => BlamePage.lines(style, found))
  }).pipe(Effect.provide(OpenLog.forPast(log))),
).pipe(Command.withDescription("The event that gave a part of the environment its value"))
