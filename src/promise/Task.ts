/** An open task, with promises. */

import { Effect } from "effect"
import type { AgentTask as KernelAgentTask } from "../kernel/agents/Agent.ts"
import type { ModelCallRequest, ModelCallResponse } from "../kernel/tasks/ModelCalls.ts"
import type { Task as KernelTask } from "../kernel/tasks/Task.ts"
import type { Signal } from "../plugins/author.ts"
import type { Json } from "../values/Json.ts"
import type { CallOptions, Calls } from "./Calls.ts"
import { type Promised, promised } from "./Promised.ts"

/** Calls a language model. Aborting `consult` aborts the signal. */
type Answering = (signal: Signal) => Promise<ModelCallResponse>

/** Asks a language model, on the record. */
interface Consulting {
  /**
   * Calls a language model through `answering`, and records request and response. A replay returns the recorded
   * response without a call.
   */
  readonly consult: (question: ModelCallRequest, answering: Answering, call?: CallOptions) => Promise<Json>
}

/** An open task. */
export interface Task extends Promised<Omit<KernelTask, "consult">>, Consulting {}

/** A task for an agent that works by itself, with randomness and time that a replay reproduces. */
export interface AgentTask extends Promised<Omit<KernelAgentTask, "consult">>, Consulting {}

export const of = <Given extends KernelTask>(
  { consult, ...task }: Given,
  calls: Calls,
): Promised<Omit<Given, "consult">> & Consulting => ({
  ...promised(task, calls),
  ...promised(
    {
      consult: (question: ModelCallRequest, answering: Answering) =>
        consult(question, Effect.tryPromise({ try: (signal) => answering(signal), catch: (cause) => cause })),
    },
    calls,
  ),
})
