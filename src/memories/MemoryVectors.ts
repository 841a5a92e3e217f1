/** The vectors of an index of memories, loaded for scans and kept up to date with it. */

import { Effect } from "effect"
import type { EmbeddedBy } from "../events/vocabulary/Sensing.ts"
import { yieldToEventLoop } from "../platform/yieldToEventLoop.ts"
import type { OpenIndex } from "../search/OpenIndex.ts"
import type { MemoryIndex, VectorRow } from "./MemoryIndex.ts"
import { scopeWord, type WantedScope, wordsOf } from "./ScopeWords.ts"
import { type Near, VectorScan } from "./VectorScan.ts"

/** Memories of one timeline up to a position. */
export interface VisibleSpan {
  readonly timeline: string
  readonly until: number
}

/** Number of vectors that are loaded at once. */
const PIECE = 2_000

export class MemoryVectors {
  readonly #index: OpenIndex<MemoryIndex>
  #scan: VectorScan | undefined
  #model: EmbeddedBy | undefined
  #generation = ""
  #revision = 0
  /** Scopes by number, each with its words. */
  #scopes: Array<ReadonlySet<string>> = []
  #numbers = new Map<string, number>()

  constructor(index: OpenIndex<MemoryIndex>) {
    this.#index = index
  }

  /** The memories nearest to a vector of this model, the nearest first. */
  nearest(
    query: Float32Array,
    model: EmbeddedBy,
    spans: ReadonlyArray<VisibleSpan>,
    wanted: WantedScope,
    limit: number,
  ): Effect.Effect<ReadonlyArray<Near>> {
    return Effect.gen(this, function* () {
      const scan = yield* this.#load(model)
      const lists = wordsOf(wanted)
      const untils = spans.map(({ timeline, until }) => ({ word: scopeWord("t", timeline), until }))
      /** The last visible position of each scope; 0 for scopes that are not wanted. */
      const visible = this.#scopes.map((scope) => {
        if (!lists.every((words) => words.some((word) => scope.has(word)))) return 0
        return Math.max(0, ...untils.flatMap(({ word, until }) => (scope.has(word) ? [until] : [])))
      })
      return yield* scan.nearest(query, (position, scope) => position <= (visible[scope] ?? 0), limit)
    })
  }

  #load(model: EmbeddedBy): Effect.Effect<VectorScan> {
    return Effect.gen(this, function* () {
      const generation = (yield* this.#index.use((file) => file.generation)) ?? this.#generation
      const isSame = this.#model?.model === model.model && this.#model.dimensions === model.dimensions
      if (this.#scan === undefined || generation !== this.#generation || !isSame) {
        this.#scan = new VectorScan(model.dimensions)
        this.#model = model
        this.#generation = generation
        this.#revision = 0
        this.#scopes = []
        this.#numbers = new Map()
      }
      const scan = this.#scan
      for (;;) {
        const rows = (yield* this.#index.use((file) => file.vectorsAfter(this.#revision, PIECE))) ?? []
        for (const row of rows) this.#add(scan, model, row)
        this.#revision = rows.at(-1)?.revision ?? this.#revision
        if (rows.length < PIECE) return scan
        yield* yieldToEventLoop
      }
    })
  }

  #add(scan: VectorScan, { model, dimensions }: EmbeddedBy, row: VectorRow): void {
    if (row.model !== model || row.dimensions !== dimensions || row.vector.byteLength !== dimensions * 4) return
    // A copy, because the bytes of a row may begin anywhere.
    scan.set(row.position, this.#numberOf(row.scope), new Float32Array(row.vector.slice().buffer))
  }

  #numberOf(scope: string): number {
    const known = this.#numbers.get(scope)
    if (known !== undefined) return known
    const number = this.#scopes.push(new Set(scope.split(" "))) - 1
    this.#numbers.set(scope, number)
    return number
  }
}
