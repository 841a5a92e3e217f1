/** `hindcast state --view`: the worlds of a moment, drawn by the views in their plugins' manifests. */
import { Data, Effect, Either, Option } from "effect"
import { EventLog } from "../../events/log/EventLog.ts"
import * as Moment from "../../events/read/Moment.ts"
import * as Timelines from "../../events/read/Timelines.ts"
import { Projector } from "../../projections/projector/Projector.ts"
import * as EnvironmentState from "../../projections/state/EnvironmentState.ts"
import * as PluginRegistry from "../../projections/state/PluginRegistry.ts"
import * as Worlds from "../../projections/state/Worlds.ts"
import { drawSvg } from "../../views/drawSvg.ts"
import * as Ids from "../command/Ids.ts"
import * as Output from "../command/Output.ts"
import * as ViewPage from "../pages/time/ViewPage.ts"
import * as Text from "../terminal/Text.ts"

export class ViewNotFound extends Data.TaggedError("ViewNotFound")<{
  readonly timeline: string
  readonly position: number
  readonly taskId: string | null
  readonly plugin: string | null
  /** The plugins whose worlds have a view at that moment. */
  readonly plugins: ReadonlyArray<string>
}> {
  override get message() {
    const { timeline, position, taskId, plugin, plugins } = this
    const where = `${taskId === null ? "" : ` of task ${taskId}`} at ${Text.moment(timeline, position)}`
    const others =
      plugins.length === 0
        ? "A world is drawn by `peas.environment.view` in its plugin's manifest (docs/guides/draw-a-world.md), from its reset on."
        : `Worlds with a view: ${plugins.join(", ")}.`
    return `Expected a world with a view${where}, found ${plugin === null ? "none" : `none of ${plugin}`}. ${others}`
  }
}

export interface Request {
  readonly timeline: string
  readonly position: number
  readonly task: Option.Option<string>
  readonly plugin: Option.Option<string>
}

/** Prints the worlds of a task at a moment, and those that all tasks share. Default: the task of the event there. */
export const show = (json: boolean, { timeline, position, task, plugin }: Request) =>
  Effect.gen(function* () {
    const projector = yield* (yield* Projector).on(timeline)
    const state = yield* projector.stateAt(EnvironmentState.projection, position)
    const registry = yield* projector.stateAt(PluginRegistry.projection, position)
    const taskId = Option.isSome(task)
      ? yield* Ids.taskAmong(task.value, Object.keys(state.tasks))
      : ((yield* taskAt(timeline, position)) ?? lastTask(state, registry))
    const scopes = [...(taskId === null ? [] : [EnvironmentState.taskScope(state, taskId)]), state.shared]
    const all = scopes.flatMap((scope) => Worlds.worldsOf(scope, registry))
    const worlds = all.filter((world) => Option.isNone(plugin) || world.plugin === plugin.value)
    if (worlds.length === 0) {
      const plugins = all.map((world) => world.plugin)
      return yield* new ViewNotFound({ timeline, position, taskId, plugin: Option.getOrNull(plugin), plugins })
    }
    const views = worlds.map((world) => ({
      plugin: world.plugin,
      outOfStep: world.outOfStep,
      text: ViewPage.drawn(world, COLUMNS, false),
      svg: Either.match(world.view, { onLeft: () => null, onRight: (view) => drawSvg(view, world.document) }),
    }))
    yield* Output.show(json, { timeline, at: position, taskId, views }, (style) =>
      ViewPage.lines(style, worlds, Output.columnsOf(process.stdout, COLUMNS)),
    )
  })

/** Maximum columns without a terminal. */
const COLUMNS = 100

const taskAt = (timeline: string, position: number) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    return yield* Moment.taskAt(Timelines.view(log, yield* Timelines.named(log, timeline)), position)
  })

const lastTask = ({ tasks }: EnvironmentState.EnvironmentState, registry: PluginRegistry.PluginRegistry) =>
  Object.entries(tasks).findLast(([, scope]) => Worlds.worldsOf(scope, registry).length > 0)?.[0] ?? null
