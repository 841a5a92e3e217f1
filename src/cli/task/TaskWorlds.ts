/** A task's worlds at the head of the log. */
import { Effect } from "effect"
import { Projector } from "../../projections/projector/Projector.ts"
import * as EnvironmentState from "../../projections/state/EnvironmentState.ts"
import * as PluginRegistry from "../../projections/state/PluginRegistry.ts"
import * as Worlds from "../../projections/state/Worlds.ts"

export interface TaskWorlds {
  readonly documents: EnvironmentState.TaskScope["environment"]
  readonly worlds: ReadonlyArray<Worlds.World>
}

export const now = (taskId: string) =>
  Effect.gen(function* () {
    const projector = yield* Projector
    const scope = EnvironmentState.taskScope(yield* projector.current(EnvironmentState.projection), taskId)
    const registry = yield* projector.current(PluginRegistry.projection)
    return { documents: scope.environment, worlds: Worlds.worldsOf(scope, registry) } satisfies TaskWorlds
  })
