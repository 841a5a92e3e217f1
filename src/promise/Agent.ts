/** Agents that answer with promises, as the kernel runs them. */

import { Deferred, Effect, Runtime } from "effect"
import * as ModelAgent from "../agents/ModelAgent.ts"
import type { ModelAgentOptions } from "../agents/ModelAgentOptions.ts"
import type * as KernelAgent from "../kernel/agents/Agent.ts"
import { type Calls, problemOf } from "./Calls.ts"
import * as Task from "./Task.ts"

/** An agent that perceives and acts by itself. Each call is one step, and answers whether to continue. */
export interface AdvancingAgent {
  readonly name: string
  readonly version: string
  /** Takes one step by the functions of the task. Answers whether it goes on: false ends the run. */
  readonly advance: (task: Task.AgentTask) => boolean | Promise<boolean>
}

/**
 * An agent is a value: a name, a version and a function. `decide(view)` is shown a view and chooses; `advance(task)`
 * perceives and acts by itself.
 */
export type Agent = KernelAgent.DecidingAgent | AdvancingAgent

/** Makes an agent of one that is written with Effect, such as one that a library for Hindcast has. */
export const agentFromEffect = (agent: KernelAgent.Agent): Agent =>
  "decide" in agent ? agent : standIn(agent, () => agent)

/**
 * An agent that is made when the kernel runs it.
 *
 * @param named has its name and version
 */
export const standIn = (
  { name, version }: Pick<Agent, "name" | "version">,
  make: (calls: Calls) => KernelAgent.Agent,
): Agent => {
  const stand: AdvancingAgent = { name, version, advance: () => Promise.reject(new Error(`${name} runs on Effect`)) }
  makers.set(stand, make)
  return stand
}

/** An agent that thinks with a language model, as `Agent.fromModel` of `hindcast` makes it. */
export const fromModel = <Answer = unknown, Encoded = Answer>(options: ModelAgentOptions<Answer, Encoded>): Agent =>
  agentFromEffect(ModelAgent.fromModel(options))

/** What makes agents, by what stands for them. */
const makers = new WeakMap<object, (calls: Calls) => KernelAgent.Agent>()

/** An agent as the kernel runs it. What is no agent is left as it is: the kernel says what is wrong with it. */
export const adapted = (agent: Agent, calls: Calls): KernelAgent.Agent => {
  // From a program in JavaScript it may be anything, which the kernel decodes.
  const given: unknown = agent
  const undecoded = given as KernelAgent.Agent
  if (typeof given !== "object" || given === null) return undecoded
  const make = makers.get(given)
  if (make !== undefined) return make(calls)
  if ("decide" in agent) return typeof agent.decide === "function" ? deciding(agent) : undecoded
  return typeof agent.advance === "function" ? advancing(agent, calls) : undecoded
}

/** A model's failure reaches the agent as it is. */
const deciding = (agent: KernelAgent.DecidingAgent): KernelAgent.DecidingAgent => ({
  name: agent.name,
  version: agent.version,
  decide: (view) => {
    const consult: KernelAgent.View["consult"] = async (question, answering) => {
      try {
        return await view.consult(question, answering)
      } catch (error) {
        throw Runtime.isFiberFailure(error) ? problemOf(error[Runtime.FiberFailureCauseId]) : error
      }
    }
    return agent.decide({ ...view, consult })
  },
})

const advancing = (agent: AdvancingAgent, calls: Calls): KernelAgent.AdvancingAgent => ({
  name: agent.name,
  version: agent.version,
  advance: (task) =>
    Effect.gen(function* () {
      const died = yield* Deferred.make<never>()
      // A defect ends an agent that is written with Effect. It ends this one too, though it might catch the rejection:
      // a replay stops an agent by one.
      const dying: Calls = {
        ...calls,
        run: (effect, signal) =>
          calls.run(
            Effect.tapDefect(effect, (cause) => Deferred.failCause(died, cause)),
            signal,
          ),
      }
      const advanced = Effect.tryPromise({
        try: async () => agent.advance(Task.of(task, dying)),
        catch: (cause) => cause,
      })
      return yield* Effect.raceFirst(advanced, Deferred.await(died))
    }),
})
