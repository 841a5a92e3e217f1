/** Lets time pass in a world that moves by itself. */

import { Effect } from "effect"
import type { AppendError, LogError } from "../../events/log/EventLog.ts"
import type { RoundAnswer } from "../../plugins/process/ComponentCalls.ts"
import type { JsonObject } from "../../values/Json.ts"
import * as CommandOutcome from "../acting/CommandOutcome.ts"
import { type Gotten, gottenIn, rewardsOf } from "../acting/WorldRewards.ts"
import { EnvironmentRefused, processOf, refusedBy } from "./Environments.ts"
import type { OpenTask } from "./OpenTask.ts"

/**
 * Records the tick with the rewards and the change of the document in one commit. No gate rules on the world's own
 * moves. Fails if the world does not move by itself, or if the log cannot store the consequences. Returns what agents
 * received.
 */
export const tick = (
  task: OpenTask,
  world: string,
  milliseconds: number,
): Effect.Effect<Gotten, EnvironmentRefused | AppendError | LogError> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const process = yield* processOf(task, world)
      const call = { taskId: task.instanceName, causationId: task.openedBy }
      const { agents, state } = yield* restore(process.tick(milliseconds, call)).pipe(refusedBy(world, "a tick"))
      const steps = stepsOf(agents)
      const payload = {
        plugin: world,
        milliseconds,
        ...(Object.keys(steps).length === 0 ? {} : { steps }),
      }
      // Their cause is the tick.
      const rewards = Object.entries(steps).flatMap(([agentId, step]) =>
        rewardsOf({ taskId: task.id, plugin: world, because: [], agentId }, step),
      )
      yield* task.inOrder(
        Effect.gen(function* () {
          const changes = CommandOutcome.changesOf(task, world, state)
          yield* task.record({ type: "WorldTicked", causationId: task.openedBy, payload }, ...changes, ...rewards)
          task.documents.set(world, state)
        }),
      )
      return gottenIn(steps)
    }),
  ).pipe(
    Effect.catchTag(
      "InvalidEvent",
      ({ message }) =>
        new EnvironmentRefused({
          plugin: world,
          asked: "a tick",
          reason: `what came of it cannot be recorded: ${message}`,
        }),
    ),
  )

const stepsOf = (agents: RoundAnswer["agents"]): { readonly [agentId: string]: JsonObject } =>
  Object.fromEntries(Object.entries(agents).flatMap(([agentId, got]) => ("ok" in got ? [[agentId, got.ok]] : [])))
