/** Holds an agent between its steps, from the moment a person stops it until their next words. */

import { Effect } from "effect"
import type { AdvancingAgent, AgentTask, Input } from "../../kernel/agents/Agent.ts"

export interface PromptGate {
  /** Holds the agent before its next step, and before it acts on words that it just took. */
  readonly close: Effect.Effect<void>
  readonly open: Effect.Effect<void>
  /** Completes once the closed gate holds the agent. */
  readonly holds: Effect.Effect<void>
  readonly behind: (agent: AdvancingAgent) => AdvancingAgent
}

export const make = Effect.gen(function* () {
  const opened = yield* Effect.makeLatch(true)
  const held = yield* Effect.makeLatch(false)
  let isOpen = true
  const pass = Effect.suspend(() => (isOpen ? Effect.void : Effect.zipRight(held.open, opened.await)))

  /** Words that arrive while the gate holds the agent belong to the words before them. */
  const heard = (task: AgentTask, taken: ReadonlyArray<Input>): ReturnType<AgentTask["inputs"]> =>
    isOpen || taken.length === 0
      ? Effect.succeed(taken)
      : Effect.zipRight(
          pass,
          Effect.map(task.inputs({}), (more) => [...taken, ...more]),
        )

  const gated = (task: AgentTask): AgentTask => ({
    ...task,
    inputs: (options) => Effect.flatMap(task.inputs(options), (taken) => heard(task, taken)),
  })

  const tasks = new WeakMap<AgentTask, AgentTask>()
  const behind: PromptGate["behind"] = (agent) => ({
    ...agent,
    advance: (task) => {
      // An agent recognises its task by identity.
      const known = tasks.get(task) ?? gated(task)
      tasks.set(task, known)
      return Effect.zipRight(pass, agent.advance(known))
    },
  })
  const gate: PromptGate = {
    close: Effect.suspend(() => {
      isOpen = false
      return Effect.asVoid(opened.close)
    }),
    open: Effect.suspend(() => {
      isOpen = true
      return Effect.zipRight(held.close, Effect.asVoid(opened.open))
    }),
    holds: held.await,
    behind,
  }
  return gate
})
