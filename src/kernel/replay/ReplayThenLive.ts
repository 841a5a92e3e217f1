/** Leads an agent through a task's recorded past, and then lets it continue live. */

import { Effect } from "effect"
import type { JsonObject } from "../../values/Json.ts"
import * as Agent from "../agents/Agent.ts"
import type { Task } from "../tasks/Task.ts"
import { Stopped } from "./Divergence.ts"
import type { RecordedTask } from "./RecordedTask.ts"
import type { Instructions, Request } from "./Recording.ts"

/**
 * A task that answers from the recording until that is used up, and then from the live task. The agent cannot tell
 * where one ends and the other begins.
 *
 * What the agent is told of itself while it is led (its guide) is not recorded, unless it differs from what was
 * recorded: then it is when the agent first asks a model live.
 *
 * @param isOver whether the live task has no more answers
 * @param guide the digest of the guide that was recorded last, if any
 */
export const replayThenLive = (
  past: RecordedTask,
  live: Task,
  instructions: Instructions,
  isOver: () => boolean,
  guide?: string,
): Task => {
  let applied: Parameters<Task["record"]> | undefined
  const recordGuide = Effect.suspend(() => {
    const told = applied
    applied = undefined
    return told?.[1].type === "GuideApplied" && told[1].payload.digest !== guide ? live.record(...told) : Effect.void
  })
  const from = <A, E, E2>(recorded: Effect.Effect<A, E>, living: Effect.Effect<A, E2>): Effect.Effect<A, E | E2> =>
    Effect.suspend((): Effect.Effect<A, E | E2> => {
      if (past.left() > 0) return recorded
      return isOver()
        ? Effect.die(new Stopped())
        : Effect.tap(living, () => (isOver() ? Effect.die(new Stopped()) : Effect.void))
    })
  return {
    ...live,
    ...instructions,
    capabilities: () => from(past.task.capabilities(), live.capabilities()),
    perceive: (options) => from(past.task.perceive(options), live.perceive(options)),
    act: (...command) => from(past.task.act(...command), live.act(...command)),
    say: (...message) => from(past.task.say(...message), live.say(...message)),
    consult: (question, answering) => from(past.task.consult(question, answering), live.consult(question, answering)),
    ask: (question, answering, options) =>
      from(
        past.task.ask(question, answering, options),
        Effect.zipRight(recordGuide, live.ask(question, answering, options)),
      ),
    inputs: (options) => from(past.task.inputs(options), live.inputs(options)),
    record: (...told) =>
      from(
        Effect.sync(() => {
          applied = told[1].type === "GuideApplied" ? told : applied
        }),
        live.record(...told),
      ),
    decided: (decision) => from(past.task.decided(decision), live.decided(decision)),
  }
}

/**
 * Wraps an agent for replay. For each recorded decision it calls `decide` (so that the agent's memory and random
 * numbers advance), discards the result, and returns the recorded choice.
 */
export const replayDecisions = (agent: Agent.Agent, past: ReadonlyArray<Request>): Agent.Agent => {
  if (!("decide" in agent)) return agent
  const choices = past.flatMap((request) => (request.kind === "decide" ? [request.decision] : []))
  let next = 0
  return {
    ...agent,
    decide: (view) =>
      Effect.map(Agent.decide(agent, view), (chosen): Agent.Choice => {
        const decided = choices[next++]
        if (decided === undefined) return chosen
        const { choice, rationale } = decided
        // The recorded value was decoded as a choice when it was recorded.
        return {
          ...(choice as JsonObject),
          ...(rationale === undefined ? {} : { rationale }),
        } as unknown as Agent.Choice
      }),
  }
}
