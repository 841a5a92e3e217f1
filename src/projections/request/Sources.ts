/** Finds the events behind the messages of a request: the task's opening, people's inputs, and the outcomes of calls. */

import type { Json } from "../../values/Json.ts"
import { asObject, fieldOf } from "../../values/JsonObjects.ts"
import { listOf, type SeenMessage } from "./RequestMessage.ts"
import type { LoggedEvent } from "./WholeRequest.ts"

const OUTCOMES: ReadonlySet<string> = new Set([
  ...["CommandSucceeded", "CommandFailed", "CommandDenied", "CommandOutcomeUnknown"],
])

/** Remembers a task's events, oldest first. */
export class Sources {
  /** Positions of the opening and of inputs, by their text. */
  readonly #told = new Map<string, Array<number>>()
  /** Ids of commands, and then positions of their outcomes, by the model's ids of the calls. */
  readonly #callOf = new Map<Json, Json>()
  readonly #outcomes = new Map<Json, Array<number>>()

  take({ type, position, payload }: LoggedEvent): void {
    if (type === "TaskOpened") this.#tell(payload.goal, position)
    else if (type === "InputReceived") this.#tell(payload.content, position)
    else if (type === "ActuatorCommanded" && typeof payload.callId === "string")
      this.#callOf.set(payload.commandId ?? null, payload.callId)
    else if (OUTCOMES.has(type)) {
      const call = this.#callOf.get(payload.commandId ?? null)
      if (call !== undefined) append(this.#outcomes, call, position)
    }
  }

  #tell(content: Json | undefined, position: number): void {
    for (const text of textsIn(content)) append(this.#told, text, position)
  }

  /** The message with the positions of the events behind it, as far as they are known. */
  of(message: SeenMessage): SeenMessage {
    const { role, content, at } = message
    const before = (positions: ReadonlyArray<number> | undefined) => positions?.findLast((position) => position < at)
    const found =
      role === "tool"
        ? listOf(content).map((part) => before(this.#outcomes.get(asObject(part).callId ?? null)))
        : role === "user"
          ? textsIn(content).map((text) => before(this.#told.get(text)))
          : []
    const sources = [...new Set(found.filter((position) => position !== undefined))]
    return sources.length === 0 ? message : { ...message, sources: sources.sort((a, b) => a - b) }
  }
}

const append = <Key>(all: Map<Key, Array<number>>, key: Key, position: number): void => {
  const known = all.get(key)
  if (known === undefined) all.set(key, [position])
  else known.push(position)
}

const textsIn = (content: Json | undefined): ReadonlyArray<string> =>
  (typeof content === "string" ? [content] : listOf(content).map((part) => fieldOf(part, "text")))
    .filter((text) => typeof text === "string")
    .map((text) => text.trim())
    .filter((text) => text !== "")
