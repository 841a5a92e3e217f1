/** Gives an agent messages at the beginning of its task, before it perceives anything. */

import { Effect } from "effect"
import type { Event } from "../../../events/vocabulary/Event.ts"
import { is } from "../../../events/vocabulary/Vocabulary.ts"
import type * as Agent from "../../../kernel/agents/Agent.ts"
import type { ScenarioEvent } from "../../../kernel/tasks/Task.ts"
import { defined } from "../../../values/defined.ts"
import * as Scenario from "../../scenario/Scenario.ts"

/** A message to an agent. */
export interface Message {
  /** Its sender, such as `tutor:ann`. */
  readonly source: string
  readonly content: string
}

/**
 * An agent that its task's scenario conducts, if there is one, and that receives these messages at the beginning. A
 * resumed task, a replay and a fork find them in the log.
 *
 * @param agentId the agent that receives them, in a task with several
 */
export const of = (
  agent: Agent.Agent,
  messages: ReadonlyArray<Message>,
  { playing, agentId }: { readonly playing?: Scenario.Playing | undefined; readonly agentId?: string | undefined } = {},
): Agent.Agent => {
  const inner = Scenario.conducted(agent, playing)
  if (messages.length === 0) return inner
  const conductedBy: NonNullable<Agent.Agent["conductedBy"]> = (task) =>
    Effect.gen(function* () {
      const [first, ...others] = messages.map((message) => inputOf(message, agentId))
      const isTold = (yield* task.events(0)).some((event) => isFrom(event, messages))
      if (first !== undefined && !isTold) yield* task.conduct(first, ...others)
      return yield* inner.conductedBy?.(task) ?? Effect.succeed({ task, ended: () => undefined })
    })
  // What `conducted` returns is a plain object.
  return { ...inner, conductedBy }
}

const inputOf = ({ source, content }: Message, agentId: string | undefined): ScenarioEvent => ({
  type: "InputReceived",
  payload: { source, content, delivery: "steering", ...defined({ agentId }) },
})

const isFrom = (event: Event, messages: ReadonlyArray<Message>): boolean =>
  is(event, "InputReceived") && messages.some(({ source }) => source === event.payload.source)
