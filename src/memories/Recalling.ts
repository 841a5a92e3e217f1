/** Finds memories by words and by vectors, and reads them from the log. */

import { Effect } from "effect"
import type { EventLog, LogError } from "../events/log/EventLog.ts"
import type { Event } from "../events/vocabulary/Event.ts"
import { is } from "../events/vocabulary/Vocabulary.ts"
import type { OpenIndex } from "../search/OpenIndex.ts"
import { wordsOf } from "../search/words/Words.ts"
import { type Embedder, type EmbeddingFailed, EmbeddingMismatch } from "./Embedding.ts"
import type { MemoryIndex } from "./MemoryIndex.ts"
import type { MemoryVectors, VisibleSpan } from "./MemoryVectors.ts"
import type { WantedScope } from "./ScopeWords.ts"

/** A memory. */
export interface Memory {
  /** The id of its event, which stays the same in every copy of the log. */
  readonly id: string
  /** The position of its event. */
  readonly position: number
  readonly timeline: string
  readonly text: string
  readonly agent: string | null
  readonly user: string | null
  /** The task that it comes from. */
  readonly taskId: string | null
  readonly source: "agent" | "program" | "guide"
  /** In epoch milliseconds. */
  readonly occurredAt: number
}

/** A recalled memory. */
export interface RecalledMemory extends Memory {
  /** For the order only: by reciprocal rank fusion of words and vectors. */
  readonly score: number
  /** Whether it has words of the question. */
  readonly byWords: boolean
  /** The cosine between the vectors of question and memory, from -1 to 1; null if it is not among the nearest. */
  readonly similarity: number | null
}

/** One part of the memories: an index and its vectors. */
export interface MemoryPart {
  readonly index: OpenIndex<MemoryIndex>
  readonly vectors: MemoryVectors
}

/** What to look for, in which part of the log. */
export interface Search {
  readonly parts: ReadonlyArray<MemoryPart>
  readonly spans: ReadonlyArray<VisibleSpan>
  readonly wanted: WantedScope
  readonly limit: number
}

/** Maximum number of words of a question that count. */
const MOST_WORDS = 32

/** Number of hits of each kind among which the best are chosen, if vectors count too. */
const FUSED = 50

/** The constant of reciprocal rank fusion, from its paper (Cormack, Clarke and Büttcher, 2009). */
const FUSION = 60

interface Found {
  readonly position: number
  score: number
  byWords: boolean
  similarity: number | null
}

/** Recalls memories, the best first. */
export const recall = (
  log: EventLog.Service,
  embedder: Embedder | undefined,
  query: string,
  search: Search,
): Effect.Effect<ReadonlyArray<RecalledMemory>, EmbeddingFailed | EmbeddingMismatch | LogError> =>
  Effect.gen(function* () {
    const near = embedder === undefined ? undefined : yield* byVectors(embedder, query, search)
    const most = near === undefined ? search.limit : Math.max(FUSED, search.limit)
    const found = new Map<number, Found>()
    const count = (position: number, rank: number): Found => {
      const one = found.get(position) ?? { position, score: 0, byWords: false, similarity: null }
      one.score += 1 / (FUSION + rank + 1)
      found.set(position, one)
      return one
    }
    for (const [rank, position] of (yield* byWords(query, search, most)).entries()) count(position, rank).byWords = true
    for (const [rank, { position, similarity }] of (near ?? []).entries()) count(position, rank).similarity = similarity
    const ordered = [...found.values()].sort((a, b) => b.score - a.score || b.position - a.position)
    const recalled: Array<RecalledMemory> = []
    for (const { position, ...match } of ordered) {
      if (recalled.length === search.limit) break
      const memory = yield* read(log, position)
      if (memory !== undefined) recalled.push({ ...memory, ...match })
    }
    return recalled
  })

const byWords = (query: string, { parts, spans, wanted }: Search, limit: number) =>
  Effect.gen(function* () {
    const words = [...new Set(wordsOf(query).map(({ word }) => word))].slice(0, MOST_WORDS)
    const hits: Array<{ readonly position: number; readonly rank: number }> = []
    for (const { index } of parts) {
      for (const span of spans)
        hits.push(...((yield* index.use((file) => file.matching(words, span, wanted, limit))) ?? []))
    }
    hits.sort((a, b) => a.rank - b.rank || b.position - a.position)
    return hits.slice(0, limit).map(({ position }) => position)
  })

const byVectors = (embedder: Embedder, query: string, { parts, spans, wanted, limit }: Search) =>
  Effect.gen(function* () {
    const models = yield* modelsOf(parts)
    if (models.length === 0) return undefined
    yield* assertComparable(models, { model: embedder.model, dimensions: undefined })
    const [vector] = yield* embedder.embed([query])
    if (vector === undefined) return undefined
    const model = { model: embedder.model, dimensions: vector.length }
    yield* assertComparable(models, model)
    const most = Math.max(FUSED, limit)
    const near = yield* Effect.forEach(parts, ({ vectors }) => vectors.nearest(vector, model, spans, wanted, most))
    return near
      .flat()
      .sort((a, b) => b.similarity - a.similarity || b.position - a.position)
      .slice(0, most)
  })

/** The models of all vectors, the most frequent first within each part. */
export const modelsOf = (parts: ReadonlyArray<MemoryPart>) =>
  Effect.map(
    Effect.forEach(parts, ({ index }) => index.use((file) => file.models)),
    (models) => models.flatMap((found) => found ?? []),
  )

/** Fails unless every stored vector can be compared with those of a model. */
export const assertComparable = (
  models: ReadonlyArray<{ readonly model: string; readonly dimensions: number; readonly memories: number }>,
  { model, dimensions }: { readonly model: string; readonly dimensions: number | undefined },
): Effect.Effect<void, EmbeddingMismatch> => {
  const others = models.filter(
    (stored) => stored.model !== model || (dimensions !== undefined && stored.dimensions !== dimensions),
  )
  const [other] = others
  if (other === undefined) return Effect.void
  return new EmbeddingMismatch({
    memories: others.reduce((sum, { memories }) => sum + memories, 0),
    stored: { model: other.model, dimensions: other.dimensions },
    found: { model, dimensions: dimensions ?? other.dimensions },
  })
}

/** Reads a memory; undefined if it is unreadable here, or if the event is none. */
export const read = (log: EventLog.Service, position: number): Effect.Effect<Memory | undefined, LogError> =>
  Effect.map(log.readPage({ after: position - 1, until: position }, 1), ([event]) =>
    event === undefined ? undefined : memoryOf(event),
  )

/** The memory of an event; undefined if it is unreadable here, or if the event is none. */
export const memoryOf = (event: Event): Memory | undefined => {
  if (!is(event, "MemoryStored") || event.personal?.readable === false) return undefined
  const { id, position, timeline, taskId, occurredAt } = event
  const { text, agent = null, user = null, source } = event.payload
  return { id, position, timeline, text, agent, user, taskId, source, occurredAt }
}
