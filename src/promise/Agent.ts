/** Adapts agents with promises to agents that the kernel runs. */

import { Deferred, Effect, Runtime } from "effect"
import * as ModelAgent from "../agents/ModelAgent.ts"
import type { ModelAgentOptions as ModelAgentFields } from "../agents/ModelAgentOptions.ts"
import type * as KernelAgent from "../kernel/agents/Agent.ts"
import { type Calls, problemOf } from "./Calls.ts"
import * as Task from "./Task.ts"

/** An agent that perceives and acts by itself, one step per call. */
export interface AdvancingAgent {
  readonly name: string
  readonly version: string
  /** Takes one step with the functions of the task. Returns whether to continue; false ends the run. */
  readonly advance: (task: Task.AgentTask) => boolean | Promise<boolean>
}

/**
 * An agent: a name, a version and a function. `decide(context)` receives a context and chooses; `advance(task)` perceives and
 * acts by itself.
 */
export type Agent = KernelAgent.DecidingAgent | AdvancingAgent

/** Gives an agent that is written inline the types of its functions. Returns the agent itself. */
export const defineAgent = <const Of extends Agent>(agent: Of): Of => agent

/** Converts an agent written with Effect, for example one of a Hindcast library. */
export const agentFromEffect = (agent: KernelAgent.Agent): Agent => {
  if ("decide" in agent) return agent
  const stand = standIn(agent, () => agent)
  fromEffect.set(stand, agent)
  return stand
}

const fromEffect = new WeakMap<object, KernelAgent.Agent>()

/**
 * Stands for an agent that `make` builds when the kernel runs it.
 *
 * @param named gives the name and version
 */
export const standIn = (
  { name, version }: Pick<Agent, "name" | "version">,
  make: (calls: Calls) => KernelAgent.Agent,
): Agent => {
  const stand: AdvancingAgent = { name, version, advance: () => Promise.reject(new Error(`${name} runs on Effect`)) }
  makers.set(stand, make)
  return stand
}

/** Options of `fromModel`. */
export interface ModelAgentOptions extends Omit<ModelAgentFields, "handoffs"> {
  /**
   * Agents from models to which it may hand its task over, by the tool `hand_off`. A function where agents name each
   * other. Default: none.
   */
  readonly handoffs?: ReadonlyArray<Agent> | (() => ReadonlyArray<Agent>)
}

/** Creates an agent that thinks with a language model, like `Agent.fromModel` of `hindcast`. */
export const fromModel = (options: ModelAgentOptions): Agent => {
  const { handoffs, ...others } = options ?? {}
  // A JavaScript program may pass anything; the kernel's function decodes it.
  const given = (handoffs === undefined ? options : { ...others, handoffs: ofKernel(handoffs) }) as ModelAgentFields
  return agentFromEffect(ModelAgent.fromModel(given))
}

const ofKernel = (handoffs: unknown): unknown => {
  if (typeof handoffs === "function") return () => ofKernel(handoffs())
  const behind = (agent: unknown) =>
    typeof agent === "object" && agent !== null ? (fromEffect.get(agent) ?? agent) : agent
  return Array.isArray(handoffs) ? handoffs.map(behind) : handoffs
}

const makers = new WeakMap<object, (calls: Calls) => KernelAgent.Agent>()

/** Returns the agent that the kernel runs. Passes invalid agents through: the kernel reports what is wrong. */
export const adapted = (agent: Agent, calls: Calls): KernelAgent.Agent => {
  // A JavaScript program may pass anything; the kernel decodes it.
  const given: unknown = agent
  const undecoded = given as KernelAgent.Agent
  if (typeof given !== "object" || given === null) return undecoded
  const make = makers.get(given)
  if (make !== undefined) return make(calls)
  if ("decide" in agent) return typeof agent.decide === "function" ? deciding(agent) : undecoded
  return typeof agent.advance === "function" ? advancing(agent, calls) : undecoded
}

/** Unwraps a model's failure for the agent. */
const deciding = (agent: KernelAgent.DecidingAgent): KernelAgent.DecidingAgent => ({
  name: agent.name,
  version: agent.version,
  decide: (context) => {
    const consult: KernelAgent.DecisionContext["consult"] = async (question, answering) => {
      try {
        return await context.consult(question, answering)
      } catch (error) {
        throw Runtime.isFiberFailure(error) ? problemOf(error[Runtime.FiberFailureCauseId]) : error
      }
    }
    return agent.decide({ ...context, consult })
  },
})

const advancing = (agent: AdvancingAgent, calls: Calls): KernelAgent.AdvancingAgent => ({
  name: agent.name,
  version: agent.version,
  advance: (task) =>
    Effect.gen(function* () {
      const died = yield* Deferred.make<never>()
      // A defect must end the agent even if its code catches the rejection: a replay stops an agent by a defect.
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
