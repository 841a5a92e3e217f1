/** Records the members of a task with several agents, and tells its worlds of changes midway. */

import { Effect } from "effect"
import type { AppendError, LogError } from "../../events/log/EventLog.ts"
import type { Recorder } from "../../events/log/Recorder.ts"
import { worldOf } from "../../plugins/manifest/Manifest.ts"
import * as CommandOutcome from "../acting/CommandOutcome.ts"
import { manifestOf } from "../registry/Registry.ts"
import { type EnvironmentRefused, processOf, refusedBy } from "./Environments.ts"
import type { OpenTask } from "./OpenTask.ts"
import type { MemberEvent } from "./Task.ts"

/**
 * Worlds for several agents learn of a join or leave midway first, and may refuse (`EnvironmentRefused`); their changed
 * documents are in the same commit.
 */
export const change = (
  task: OpenTask,
  recorder: Recorder,
  event: MemberEvent,
): Effect.Effect<void, EnvironmentRefused | AppendError | LogError> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const states = yield* restore(tell(task, event))
      yield* task.inOrder(
        Effect.gen(function* () {
          const changes = states.flatMap(({ plugin, state }) => CommandOutcome.changesOf(task, plugin, state))
          yield* recorder.record({ ...event, causationId: task.openedBy }, ...changes)
          for (const { plugin, state } of states) task.documents.set(plugin, state)
        }),
      )
    }),
  )

/** Returns each world's document after the change. */
const tell = (task: OpenTask, event: MemberEvent) =>
  Effect.gen(function* () {
    if ((event.type !== "AgentJoined" && event.type !== "AgentLeft") || event.payload.midway !== true) return []
    const { agentId } = event.payload
    const registry = yield* task.kernel.registry.state
    const worlds = Object.entries(registry).flatMap(([plugin, found]) => {
      const world = found.active && task.takesPart(plugin) ? worldOf(manifestOf(found)) : undefined
      return world !== undefined && world.maxAgents > 1 ? [plugin] : []
    })
    const change = event.type === "AgentJoined" ? "join" : "leave"
    return yield* Effect.forEach(worlds, (plugin) =>
      Effect.gen(function* () {
        const process = yield* processOf(task, plugin)
        const call = { taskId: task.instanceName, causationId: task.openedBy }
        const asked = `to let ${agentId} ${change}`
        const state = yield* process.changeAgents(change, agentId, call).pipe(refusedBy(plugin, asked))
        return { plugin, state }
      }),
    )
  })
