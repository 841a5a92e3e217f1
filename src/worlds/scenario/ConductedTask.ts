/**
 * The task of an agent in a scenario: the scenario is checked after each command, and every request fails after its
 * end.
 */

import { Effect } from "effect"
import type { AppendError, LogError } from "../../events/log/EventLog.ts"
import type { RunResult } from "../../kernel/agents/Agent.ts"
import { TaskClosed } from "../../kernel/context/TaskLifecycle.ts"
import type { Task } from "../../kernel/tasks/Task.ts"
import type { JsonObject } from "../../values/Json.ts"
import { agentsOf, configOf, type Scenario } from "./Document.ts"

/** A scenario, checked against its task. */
export interface Conductor {
  /** Processes new events, and carries out the responses that are due. */
  readonly look: (when: "start" | "later") => Effect.Effect<void, TaskClosed | AppendError | LogError>
  /** The scenario's end; undefined while it is open. */
  readonly ended: () => RunResult | undefined
}

export const of = (task: Task, scenario: Scenario, { look, ended }: Conductor): Task => {
  const open = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E | TaskClosed> =>
    Effect.suspend((): Effect.Effect<A, E | TaskClosed> => {
      const end = ended()
      return end === undefined ? effect : new TaskClosed({ taskId: task.id })
    })
  const { perceiveAhead } = task
  const looking = <A, E>(effect: Effect.Effect<A, E>) => Effect.tap(open(effect), () => look("later"))
  return {
    ...task,
    capabilities: (agentId) =>
      Effect.map(task.capabilities(agentId), (offered) => ({ ...offered, ...configFor(scenario, agentId) })),
    perceive: (...args) => open(task.perceive(...args)),
    perceiveAhead: perceiveAhead === undefined ? undefined : (...args) => open(perceiveAhead(...args)),
    act: (...args) => looking(task.act(...args)),
    together: (...args) => looking(task.together(...args)),
    tick: (...args) => looking(task.tick(...args)),
    say: (...args) => open(task.say(...args)),
    saying: (...args) => open(task.saying(...args)),
    consult: (...args) => open(task.consult(...args)),
    ask: (...args) => open(task.ask(...args)),
    inputs: (...args) => open(task.inputs(...args)),
    late: (...args) => open(task.late(...args)),
    member: (...args) => open(task.member(...args)),
    record: (...args) => open(task.record(...args)),
    decided: (...args) => open(task.decided(...args)),
    deciding: (...args) => open(task.deciding(...args)),
    // After the scenario's end, the scenario decides the task's outcome.
    close: (...args) => Effect.suspend(() => (ended() === undefined ? task.close(...args) : Effect.void)),
  }
}

const configFor = (scenario: Scenario, agentId: string | undefined): { readonly config?: JsonObject } => {
  const agents = agentsOf(scenario)
  const config = configOf(agentId === undefined ? agents[0] : agents.find(({ agent_id }) => agent_id === agentId))
  return config === undefined ? {} : { config }
}
