/**
 * A model's answer that a source writes in several records, with other records in between. It ends when the next answer
 * or user message begins.
 */

import type { ModelUsage } from "../../events/vocabulary/Deciding.ts"
import { UNKNOWN } from "../../kernel/pricing/ProviderUsage.ts"
import type { Json, JsonObject } from "../../values/Json.ts"

/** Maximum number of records that wait for its end. */
const MAX_WAITING = 500

export class OpenTurn {
  readonly id: string
  readonly model: string
  readonly askedAt: number | null
  at: number | null
  /** Unknown until a record states it. */
  usage: ModelUsage = UNKNOWN
  /** In US dollars, as the source states it. */
  usd: number | undefined
  /** Whether the source marks the answer as ended. */
  ended = false
  readonly parts: Array<JsonObject> = []
  /** Run in order after the answer is written: its calls and their results. */
  readonly waiting: Array<() => void> = []
  readonly #known = new Set<string>()

  constructor(id: string, model: string, askedAt: number | null, at: number | null) {
    this.id = id
    this.model = model
    this.askedAt = askedAt
    this.at = at
  }

  /** Adds a part unless it is a duplicate; returns whether it is new. */
  add(part: JsonObject): boolean {
    const known = part.type === "call" ? `call ${String(part.callId)}` : JSON.stringify(part)
    if (this.#known.has(known)) return false
    this.#known.add(known)
    this.parts.push(part)
    return true
  }

  after(what: () => void): void {
    this.waiting.push(what)
  }

  get isFull(): boolean {
    return this.waiting.length >= MAX_WAITING
  }

  get text(): string {
    return this.parts
      .flatMap((part: { readonly [key: string]: Json }) => (part.type === "text" ? [String(part.text)] : []))
      .join("\n\n")
  }

  get calls(): boolean {
    return this.parts.some(({ type }) => type === "call")
  }
}
