/** Lets the time of a world pass that moves by itself. */

import { Effect } from "effect"
import type { AppendError, CoreNewEvent, LogError } from "../../events/log/EventLog.ts"
import * as CommandOutcome from "../acting/CommandOutcome.ts"
import { rewardsOf } from "../acting/WorldRewards.ts"
import { type EnvironmentRefused, processOf, refusedBy } from "./Environments.ts"
import type { OpenTask } from "./OpenTask.ts"

/**
 * Lets a world's time pass, and records the tick with the change of the document, and then the rewards, which cite it. What happens
 * is the world's own doing, so that no gate is asked. A world that does not move by itself refuses it.
 *
 * @param world the name of the world's plugin
 */
export const tick = (
  task: OpenTask,
  world: string,
  milliseconds: number,
): Effect.Effect<void, EnvironmentRefused | AppendError | LogError> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const process = yield* processOf(task, world)
      const call = { taskId: task.instanceName, causationId: task.openedBy }
      const { agents, state } = yield* restore(process.tick(milliseconds, call)).pipe(refusedBy(world))
      yield* task.inOrder(
        Effect.gen(function* () {
          const changes = CommandOutcome.changesOf(task, world, state)
          const at = yield* task.record(
            { type: "WorldTicked", causationId: task.openedBy, payload: { plugin: world, milliseconds } },
            ...changes,
          )
          task.documents.set(world, state)
          const rewards = Object.entries(agents).flatMap(([agentId, outcome]): ReadonlyArray<CoreNewEvent> => {
            if (!("ok" in outcome)) return []
            return [...rewardsOf({ taskId: task.id, plugin: world, commandedAt: at.position, agentId }, outcome.ok)]
          })
          const [first, ...others] = rewards.map((reward) => ({ causationId: at.id, ...reward }))
          if (first !== undefined) yield* task.recordAll([first, ...others])
        }),
      )
    }),
  )
