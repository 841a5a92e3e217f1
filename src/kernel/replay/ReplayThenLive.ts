import { Effect } from "effect"
import type { JsonObject } from "../../values/Json.ts"
import * as Agent from "../agents/Agent.ts"
import type { Task } from "../tasks/Task.ts"
import { Stopped } from "./Divergence.ts"
import type { RecordedTask } from "./RecordedTask.ts"
import type { Request, Told } from "./Recording.ts"

/**
 * A task that answers from the past as long as that lasts, and then lives: whoever works on it is led through what was, and
 * goes on from there without a seam.
 *
 * @param over says that the living task has no answers any more
 */
export const continuing = (past: RecordedTask, live: Task, told: Told, over: () => boolean): Task => {
  const from = <A, E, E2>(recorded: Effect.Effect<A, E>, living: Effect.Effect<A, E2>): Effect.Effect<A, E | E2> =>
    Effect.suspend((): Effect.Effect<A, E | E2> => {
      if (past.left() > 0) return recorded
      return over()
        ? Effect.die(new Stopped())
        : Effect.tap(living, () => (over() ? Effect.die(new Stopped()) : Effect.void))
    })
  return {
    ...live,
    ...told,
    capabilities: () => from(past.task.capabilities(), live.capabilities()),
    perceive: (options) => from(past.task.perceive(options), live.perceive(options)),
    act: (...command) => from(past.task.act(...command), live.act(...command)),
    say: (...message) => from(past.task.say(...message), live.say(...message)),
    consult: (question, answering) => from(past.task.consult(question, answering), live.consult(question, answering)),
    decided: (decision) => from(past.task.decided(decision), live.decided(decision)),
  }
}

/**
 * The agent, led through decisions that were made: it is shown every moment of the past and decides about it, so that what
 * it remembers and draws is as if it had been there; but what was decided was decided.
 */
export const led = (agent: Agent.Agent, past: ReadonlyArray<Request>): Agent.Agent => {
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
        // It was a choice when it was recorded.
        return {
          ...(choice as JsonObject),
          ...(rationale === undefined ? {} : { rationale }),
        } as unknown as Agent.Choice
      }),
  }
}
