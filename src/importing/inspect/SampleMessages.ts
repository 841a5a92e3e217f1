/** The messages of a sample: the shared pool, attachments, and which ones the model has read. */

import { at, field, isObject, listOf, logJson, textOf } from "../runs/Untrusted.ts"
import { inputOf, resolved } from "./Messages.ts"

export class SampleMessages {
  /** Undefined if there are none, as in most samples. */
  readonly attachments: unknown
  readonly #pool: ReadonlyArray<unknown>
  /** Caches resolved pool messages, since each request repeats earlier ones. */
  readonly #resolved = new WeakMap<object, unknown>()
  /** Messages that the model has read, as objects and by id or content. */
  readonly #toldMessages = new WeakSet<object>()
  readonly #told = new Set<string>()

  constructor(sample: unknown) {
    const attachments = field(sample, "attachments")
    this.attachments = isObject(attachments) && Object.keys(attachments).length === 0 ? undefined : attachments
    const pool = at(sample, "events_data", "messages")
    this.#pool = Array.isArray(pool) ? pool : listOf(sample, "message_pool")
  }

  resolved(value: unknown): unknown {
    return this.attachments === undefined ? value : resolved(value, this.attachments)
  }

  askedWith(event: unknown): ReadonlyArray<unknown> {
    return inputOf(event, this.#pool).map((message) => this.#message(message))
  }

  #message(message: unknown): unknown {
    if (!isObject(message)) return this.resolved(message)
    const known = this.#resolved.get(message) ?? this.resolved(message)
    this.#resolved.set(message, known)
    return known
  }

  /** Whether the model has not read a message yet; marks it as read. */
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
