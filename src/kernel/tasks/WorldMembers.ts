/** Tells the worlds of a task that an agent joins or leaves in the middle of an episode. */

import { Effect } from "effect"
import type { CoreNewEvent, LogError } from "../../events/log/EventLog.ts"
import { worldOf } from "../../plugins/manifest/Manifest.ts"
import * as CommandOutcome from "../acting/CommandOutcome.ts"
import { manifestOf } from "../registry/Registry.ts"
import { type EnvironmentRefused, processOf, refusedBy } from "./Environments.ts"
import type { OpenTask } from "./OpenTask.ts"
import type { MemberEvent } from "./Task.ts"

/**
 * If the event says that an agent joins or leaves midway, tells each world of the task for several agents, and returns
 * the changes of their documents. A world may refuse it (`EnvironmentRefused`).
 */
export const tell = (
  task: OpenTask,
  event: MemberEvent,
): Effect.Effect<ReadonlyArray<CoreNewEvent>, EnvironmentRefused | LogError> =>
  Effect.gen(function* () {
    if ((event.type !== "AgentJoined" && event.type !== "AgentLeft") || event.payload.midway !== true) return []
    const registry = yield* task.kernel.registry.state
    const worlds = Object.entries(registry).flatMap(([plugin, found]) => {
      const world = found.active && task.takesPart(plugin) ? worldOf(manifestOf(found)) : undefined
      return world !== undefined && world.maxAgents > 1 ? [plugin] : []
    })
    const changes = yield* Effect.forEach(worlds, (plugin) =>
      Effect.gen(function* () {
        const process = yield* processOf(task, plugin)
        const change = event.type === "AgentJoined" ? "join" : "leave"
        const call = { taskId: task.instanceName, causationId: task.openedBy }
        const state = yield* process.changeAgents(change, event.payload.agentId, call).pipe(refusedBy(plugin))
        const changed = CommandOutcome.changesOf(task, plugin, state)
        task.documents.set(plugin, state)
        return changed
      }),
    )
    return changes.flat()
  })
