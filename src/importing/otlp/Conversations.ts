/**
 * Groups spans by conversation: of all traces that name it, otherwise of one trace. Spans come in any order. A survey
 * first counts those of each conversation, so that it can be mapped after its last span and only open ones stay in
 * memory.
 */

import type { Span } from "./Span.ts"

export interface SurveyedSpan {
  readonly traceId: string
  readonly conversation: string | undefined
}

export type Added =
  | { readonly kind: "kept" }
  /** A duplicate span. */
  | { readonly kind: "again"; readonly whole: Conversation | undefined }
  | { readonly kind: "whole"; readonly whole: Conversation }

export interface Conversation {
  readonly id: string
  readonly spans: ReadonlyArray<Span>
}

/** The conversations of a file. Survey all spans before adding the first. */
export class Conversations {
  /** The first conversation named by each trace. */
  readonly #named = new Map<string, string>()
  /** Number of surveyed spans by trace; after the survey, of spans to come by conversation. */
  #toCome = new Map<string, number>()
  #isSurveyed = false
  readonly #open = new Map<string, Map<string, Span>>()

  survey({ traceId, conversation }: SurveyedSpan): void {
    this.#toCome.set(traceId, (this.#toCome.get(traceId) ?? 0) + 1)
    if (conversation !== undefined && !this.#named.has(traceId)) this.#named.set(traceId, conversation)
  }

  add(span: Span): Added {
    if (!this.#isSurveyed) this.#endSurvey()
    const id = this.of(span.traceId)
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

  /** The conversation of a trace, otherwise the trace itself. */
  of(traceId: string): string {
    return this.#named.get(traceId) ?? traceId
  }

  #endSurvey(): void {
    this.#isSurveyed = true
    const traces = this.#toCome
    this.#toCome = new Map()
    for (const [traceId, count] of traces) {
      const id = this.of(traceId)
      this.#toCome.set(id, (this.#toCome.get(id) ?? 0) + count)
    }
  }
}
