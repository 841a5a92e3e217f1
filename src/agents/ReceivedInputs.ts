/** What people say to a model agent: taken from its task, and told to its model as messages of the user. */

import { Effect, Option, Schema } from "effect"
import type { AppendError } from "../events/log/EventLog.ts"
import type { Event } from "../events/vocabulary/Event.ts"
import type { AgentTask, InputOptions } from "../kernel/agents/Agent.ts"
import type { TaskClosed } from "../kernel/context/TaskLifecycle.ts"
import * as MonotonicClock from "../platform/MonotonicClock.ts"
import type { Json } from "../values/Json.ts"
import type { InvalidOptions } from "../values/Options.ts"
import { type ModelRun, tell } from "./ModelRun.ts"
import { ContentPart } from "./models/Message.ts"

type InputError = InvalidOptions | TaskClosed | AppendError

/** What was said, as the model is told it, and the events that it comes from. */
export interface Said {
  readonly content: ReadonlyArray<ContentPart>
  readonly events: ReadonlyArray<Event>
}

/** Takes what was said to the agent. Inputs that say nothing are none. */
export const take = (task: AgentTask, options: InputOptions = {}): Effect.Effect<Said | undefined, InputError> =>
  Effect.map(task.inputs(options), (inputs) => {
    const content = inputs.flatMap((input) => partsOf(input.content))
    return content.length === 0 ? undefined : { content, events: inputs.map(({ event }) => event) }
  })

/** Takes what must not wait until the agent is done. */
export const takeUrgent = (task: AgentTask): Effect.Effect<Said | undefined, InputError> =>
  take(task, { deliveries: ["steering", "interrupting"] })

/** Waits until somebody says something. The time that passes is none of the agent's. */
export const awaitNext = (task: AgentTask, run: ModelRun): Effect.Effect<Said, InputError> =>
  Effect.gen(function* () {
    const since = yield* MonotonicClock.now
    const said = yield* take(task, { wait: true })
    run.waitedMs += (yield* MonotonicClock.now) - since
    return said ?? (yield* awaitNext(task, run))
  })

/** Tells the model what was said, if anything, in one message. The next decision is based on it. */
export const hear = (run: ModelRun, said: Said | undefined): void => {
  if (said === undefined) return
  run.evidence = [...run.evidence, ...said.events].sort((a, b) => a.position - b.position)
  tell(run, { role: "user", content: said.content })
}

const asParts = Schema.decodeUnknownOption(Schema.Array(ContentPart))

/** The parts of an input's content: a text, parts as messages have them, or other JSON, which is told as text. */
const partsOf = (content: Json): ReadonlyArray<ContentPart> => {
  const text = (words: string) => [{ type: "text", text: words } as const]
  const parts = typeof content === "string" ? text(content) : Option.getOrUndefined(asParts(content))
  if (parts === undefined) return content === null ? [] : text(JSON.stringify(content))
  return parts.filter((part) => part.type !== "text" || part.text.trim() !== "")
}
