/** Takes people's inputs from a task and passes them to the model as messages of the user. */

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

export interface Said {
  readonly content: ReadonlyArray<ContentPart>
  readonly events: ReadonlyArray<Event>
}

export const take = (task: AgentTask, options: InputOptions = {}): Effect.Effect<Said | undefined, InputError> =>
  Effect.map(task.inputs(options), (inputs) => {
    const content = inputs.flatMap((input) => partsOf(input.content))
    return content.length === 0 ? undefined : { content, events: inputs.map(({ event }) => event) }
  })

export const takeUrgent = (task: AgentTask): Effect.Effect<Said | undefined, InputError> =>
  take(task, { deliveries: ["steering", "interrupting"] })

/** Waits for an input. The wait does not count against the agent's time. */
export const awaitNext = (task: AgentTask, run: ModelRun): Effect.Effect<Said, InputError> =>
  Effect.gen(function* () {
    const since = yield* MonotonicClock.now
    const said = yield* take(task, { wait: true })
    run.waitedMs += (yield* MonotonicClock.now) - since
    return said ?? (yield* awaitNext(task, run))
  })

export const hear = (run: ModelRun, said: Said | undefined): void => {
  if (said === undefined) return
  run.passedBy = new Set()
  run.evidence = [...run.evidence, ...said.events].sort((a, b) => a.position - b.position)
  run.questions = [...run.questions, ...said.content.flatMap((part) => (part.type === "text" ? [part.text] : []))]
  tell(run, { role: "user", content: said.content })
}

const asParts = Schema.decodeUnknownOption(Schema.Array(ContentPart))

/** Content may be text, message parts, or other JSON, which becomes text. */
const partsOf = (content: Json): ReadonlyArray<ContentPart> => {
  const text = (words: string) => [{ type: "text", text: words } as const]
  const parts = typeof content === "string" ? text(content) : Option.getOrUndefined(asParts(content))
  if (parts === undefined) return content === null ? [] : text(JSON.stringify(content))
  return parts.filter((part) => part.type !== "text" || part.text.trim() !== "")
}
