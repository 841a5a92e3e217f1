/** The messages of a sample: the pool that its requests refer to, what they refer to themselves, and which the model has been told. */

import { at, field, isObject, listOf, logJson, textOf } from "../runs/Untrusted.ts"
import { inputOf, resolved } from "./Messages.ts"

export class SampleMessages {
  /** What is referred to; undefined where there is nothing, as in most samples. */
  readonly attachments: unknown
  readonly #pool: ReadonlyArray<unknown>
  /** The messages of the pool with what they refer to: each request repeats those before it. */
  readonly #resolved = new WeakMap<object, unknown>()
  /** The messages that the model has been told, and their ids or contents. */
  readonly #toldMessages = new WeakSet<object>()
  readonly #told = new Set<string>()

  constructor(sample: unknown) {
    const attachments = field(sample, "attachments")
    this.attachments = isObject(attachments) && Object.keys(attachments).length === 0 ? undefined : attachments
    const pool = at(sample, "events_data", "messages")
    this.#pool = Array.isArray(pool) ? pool : listOf(sample, "message_pool")
  }

  /** A value with what it refers to. */
  resolved(value: unknown): unknown {
    return this.attachments === undefined ? value : resolved(value, this.attachments)
  }

  /** The messages that a model was asked with by an event. */
  askedWith(event: unknown): ReadonlyArray<unknown> {
    return inputOf(event, this.#pool).map((message) => this.#message(message))
  }

  #message(message: unknown): unknown {
    if (!isObject(message)) return this.resolved(message)
    const known = this.#resolved.get(message) ?? this.resolved(message)
    this.#resolved.set(message, known)
    return known
  }

  /** Whether the model was not told a message before; from now on it was. */
  isNew(message: unknown): boolean {
    if (isObject(message)) {
      if (this.#toldMessages.has(message)) return false
      this.#toldMessages.add(message)
    }
    const id = textOf(message, "id") ?? JSON.stringify(logJson(message).json)
    const isNew = !this.#told.has(id)
    this.#told.add(id)
    return isNew
  }
}
