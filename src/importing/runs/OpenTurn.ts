/**
 * An answer of a model that a source writes in several records, with what stands between them. It is complete when the
 * next answer or a person's words begin.
 */

import type { ModelUsage } from "../../events/vocabulary/Deciding.ts"
import type { Json, JsonObject } from "../../values/Json.ts"

/** Most records that wait for the end of an answer. */
const MAX_WAITING = 500

/** The answer of a model, as far as it was read. */
export class OpenTurn {
  readonly id: string
  readonly model: string
  readonly askedAt: number | null
  at: number | null
  usage: ModelUsage = { inputTokens: 0, outputTokens: 0 }
  /** What the source says that the answer cost, in US dollars. */
  usd: number | undefined
  /** Whether the source says that the answer has ended. */
  ended = false
  readonly parts: Array<JsonObject> = []
  /** Done after the answer is written, in this order: the calls and what came of them. */
  readonly waiting: Array<() => void> = []
  readonly #known = new Set<string>()

  constructor(id: string, model: string, askedAt: number | null, at: number | null) {
    this.id = id
    this.model = model
    this.askedAt = askedAt
    this.at = at
  }

  /** Adds a part, unless it is there. Returns whether it is new. */
  add(part: JsonObject): boolean {
    const known = part.type === "call" ? `call ${String(part.callId)}` : JSON.stringify(part)
    if (this.#known.has(known)) return false
    this.#known.add(known)
    this.parts.push(part)
    return true
  }

  /** Does something once the answer is written. */
  after(what: () => void): void {
    this.waiting.push(what)
  }

  get isFull(): boolean {
    return this.waiting.length >= MAX_WAITING
  }

  /** The text of the answer. */
  get text(): string {
    return this.parts
      .flatMap((part: { readonly [key: string]: Json }) => (part.type === "text" ? [String(part.text)] : []))
      .join("\n\n")
  }

  get calls(): boolean {
    return this.parts.some(({ type }) => type === "call")
  }
}
