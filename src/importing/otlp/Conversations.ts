/**
 * Gathers spans by conversation: those of the traces that name one, else of one trace. Spans come in any order, so that a
 * conversation is whole only when its last span was added; which one that is, a survey of all spans tells beforehand. Then no more
 * is in memory than the conversations that are under way.
 */

import type { Span } from "./Span.ts"

/** What a survey takes of a span. */
export interface SurveyedSpan {
  readonly traceId: string
  /** The conversation that the span names. */
  readonly conversation: string | undefined
}

/** What became of a span that was added. */
export type Added =
  | { readonly kind: "kept" }
  /** The same span was added before. */
  | { readonly kind: "again"; readonly whole: Conversation | undefined }
  | { readonly kind: "whole"; readonly whole: Conversation }

/** A conversation all of whose spans are known. */
export interface Conversation {
  readonly id: string
  readonly spans: ReadonlyArray<Span>
}

/** The conversations of a file. All spans are surveyed before the first one is added. */
export class Conversations {
  /** The conversation that a trace names first. */
  readonly #named = new Map<string, string>()
  /** How many spans of a trace were surveyed; then of a conversation, how many are to come. */
  #toCome = new Map<string, number>()
  #isSurveyed = false
  readonly #open = new Map<string, Map<string, Span>>()

  survey({ traceId, conversation }: SurveyedSpan): void {
    this.#toCome.set(traceId, (this.#toCome.get(traceId) ?? 0) + 1)
    if (conversation !== undefined && !this.#named.has(traceId)) this.#named.set(traceId, conversation)
  }

  add(span: Span): Added {
    if (!this.#isSurveyed) this.#endSurvey()
    const id = this.#of(span.traceId)
    const spans = this.#open.get(id) ?? new Map<string, Span>()
    this.#open.set(id, spans)
    const key = `${span.traceId}/${span.spanId}`
    const isNew = !spans.has(key)
    if (isNew) spans.set(key, span)
    const left = (this.#toCome.get(id) ?? 0) - 1
    this.#toCome.set(id, left)
    const whole = left === 0 ? { id, spans: [...spans.values()] } : undefined
    if (whole !== undefined) {
      this.#open.delete(id)
      this.#toCome.delete(id)
    }
    if (!isNew) return { kind: "again", whole }
    return whole === undefined ? { kind: "kept" } : { kind: "whole", whole }
  }

  #of(traceId: string): string {
    return this.#named.get(traceId) ?? traceId
  }

  #endSurvey(): void {
    this.#isSurveyed = true
    const traces = this.#toCome
    this.#toCome = new Map()
    for (const [traceId, count] of traces) {
      const id = this.#of(traceId)
      this.#toCome.set(id, (this.#toCome.get(id) ?? 0) + count)
    }
  }
}
