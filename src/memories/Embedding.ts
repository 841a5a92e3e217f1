/** Embedding models: functions from texts to vectors, those of AI SDK packages included. */

import { Data, Effect, Schema } from "effect"
import type { EmbeddedBy } from "../events/vocabulary/Sensing.ts"
import * as Options from "../values/Options.ts"

/** A function from texts to vectors, one for each text and all of one length, and the name of the model behind it. */
export interface EmbeddingFunction {
  /** The log records it with each vector. Vectors of models with different names are never compared. */
  readonly model: string
  /** Returns the vectors in the order of the texts: as a value, a promise or an Effect. Gets at most 96 texts. */
  readonly embed: (texts: ReadonlyArray<string>) => Vectors | PromiseLike<Vectors> | Effect.Effect<Vectors, unknown>
}

/** Vectors, each a list of finite numbers that are not all 0. */
type Vectors = ReadonlyArray<ReadonlyArray<number>>

/** An embedding model of an AI SDK package, such as `openai.embedding("text-embedding-3-small")`, as far as needed. */
export interface AiSdkEmbedding {
  readonly provider: string
  readonly modelId: string
  readonly maxEmbeddingsPerCall?: number | undefined | PromiseLike<number | undefined>
  /** Embeds texts. Hindcast ignores all of the result but the vectors. */
  readonly doEmbed: (options: { values: Array<string> }) => PromiseLike<{ readonly embeddings: Vectors }>
}

/** An embedding model: a function with its model's name, or a model of an AI SDK package. */
export type Embedding = EmbeddingFunction | AiSdkEmbedding

const isText = Schema.is(Options.Text)

/** Schema of `Embedding`. */
export const Embedding = Options.kind<Embedding>(
  "{ model, embed }, with the model's name and a function from texts to vectors, or an embedding model of the AI SDK",
  (value) => {
    const field = (name: string): unknown => Reflect.get(Object(value), name)
    return (
      (isText(field("model")) && typeof field("embed") === "function") ||
      (isText(field("provider")) && isText(field("modelId")) && typeof field("doEmbed") === "function")
    )
  },
)

/** The embedding model gave no usable vectors. Nothing was stored. Try again, or fix the model. */
export class EmbeddingFailed extends Data.TaggedError("EmbeddingFailed")<{
  readonly model: string
  readonly reason: string
}> {
  override get message() {
    return `The embedding model ${this.model} gave no usable vectors: ${this.reason}`
  }
}

/**
 * The log's memories have vectors of another model, or of another size, which cannot be compared with this one's.
 * `Memories.rebuild` embeds them again.
 */
export class EmbeddingMismatch extends Data.TaggedError("EmbeddingMismatch")<{
  /** The number of memories with other vectors. */
  readonly memories: number
  readonly stored: EmbeddedBy
  readonly found: EmbeddedBy
}> {
  override get message() {
    const { memories, stored, found } = this
    return `Expected the embedding model of the stored memories, ${inWords(stored)}, found ${inWords(found)}: their vectors cannot be compared (${memories} ${memories === 1 ? "memory" : "memories"}). Use the stored model, or call memories.rebuild() once to embed all memories with ${found.model}.`
  }
}

const inWords = ({ model, dimensions }: EmbeddedBy): string => `${model} with ${dimensions} dimensions`

/** An embedding model behind one interface, with vectors of length 1. */
export interface Embedder {
  readonly model: string
  /** Returns at least one vector for at least one text. */
  readonly embed: (texts: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Float32Array>, EmbeddingFailed>
}

/** Number of texts in one call of a model that names no limit. */
const MOST_TEXTS = 96

/** The longest vector that is stored. */
const MOST_DIMENSIONS = 65_536

export const embedderOf = (embedding: Embedding): Embedder => {
  const { model, call, most } =
    "doEmbed" in embedding
      ? {
          model: `${embedding.provider}/${embedding.modelId}`,
          call: async (texts: ReadonlyArray<string>): Promise<unknown> =>
            (await embedding.doEmbed({ values: [...texts] })).embeddings,
          most: async () => (await embedding.maxEmbeddingsPerCall) ?? MOST_TEXTS,
        }
      : {
          model: embedding.model,
          call: (texts: ReadonlyArray<string>): unknown => embedding.embed(texts),
          most: async () => MOST_TEXTS,
        }
  const failed = (reason: string) => new EmbeddingFailed({ model, reason })
  const thrown = (cause: unknown) => failed(cause instanceof Error ? cause.message : String(cause))
  const embedAtOnce = (texts: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const returned = yield* Effect.try({ try: () => call(texts), catch: thrown })
      const given: unknown = Effect.isEffect(returned)
        ? yield* Effect.mapError(returned as Effect.Effect<unknown, unknown>, thrown)
        : yield* Effect.tryPromise({ try: () => Promise.resolve(returned), catch: thrown })
      const vectors = vectorsIn(given, texts.length)
      return typeof vectors === "string" ? yield* failed(vectors) : vectors
    })
  return {
    model,
    embed: (texts) =>
      Effect.gen(function* () {
        const limit = yield* Effect.tryPromise({ try: most, catch: thrown })
        const size = Number.isFinite(limit) ? Math.max(1, Math.min(limit, MOST_TEXTS)) : MOST_TEXTS
        const all: Array<Float32Array> = []
        for (let from = 0; from < texts.length; from += size)
          all.push(...(yield* embedAtOnce(texts.slice(from, from + size))))
        const [first] = all
        const other = all.find(({ length }) => length !== first?.length)
        if (other === undefined) return all
        return yield* failed(`expected vectors of one length, found ${first?.length} and ${other.length} components`)
      }),
  }
}

/** The vectors with length 1, or what is wrong with them. */
const vectorsIn = (given: unknown, count: number): ReadonlyArray<Float32Array> | string => {
  if (!Array.isArray(given)) return `expected a list of vectors, found ${found(given)}`
  if (given.length !== count) return `expected ${count} vectors, found ${given.length}`
  const vectors: Array<Float32Array> = []
  for (const one of given as ReadonlyArray<unknown>) {
    const vector = vectorIn(one)
    if (typeof vector === "string") return vector
    vectors.push(vector)
  }
  return vectors
}

const vectorIn = (given: unknown): Float32Array | string => {
  if (!Array.isArray(given) && !(given instanceof Float32Array)) {
    return `expected a vector, a list of numbers, found ${found(given)}`
  }
  if (given.length === 0 || given.length > MOST_DIMENSIONS) {
    return `expected a vector of 1 to ${MOST_DIMENSIONS} components, found ${given.length}`
  }
  let squares = 0
  for (const component of given as ReadonlyArray<unknown>) {
    if (typeof component !== "number" || !Number.isFinite(component)) {
      return `expected finite numbers in a vector, found ${found(component)}`
    }
    squares += component * component
  }
  const length = Math.sqrt(squares)
  if (length === 0) return "expected a vector with a direction, found one of length 0"
  if (!Number.isFinite(length)) return "expected a vector of finite length, found larger components"
  return Float32Array.from(given as ReadonlyArray<number>, (component) => component / length)
}

const found = (value: unknown): string =>
  typeof value === "object" ? (value === null ? "null" : "an object") : String(value).slice(0, 40)

/** A vector as an event has it. */
export const encoded = (vector: Float32Array): string => {
  const bytes = Buffer.alloc(vector.length * 4)
  for (const [index, component] of vector.entries()) bytes.writeFloatLE(component, index * 4)
  return bytes.toString("base64")
}

/**
 * The vector of an event. Undefined if the text is not one of this size and of length 1: the log may come from
 * elsewhere, and such a vector would hide others or come before all of them.
 */
export const decoded = (text: string, dimensions: number): Float32Array | undefined => {
  const bytes = Buffer.from(text, "base64")
  if (bytes.length !== dimensions * 4) return undefined
  const vector = Float32Array.from({ length: dimensions }, (_, index) => bytes.readFloatLE(index * 4))
  const squares = vector.reduce((sum, component) => sum + component * component, 0)
  return Math.abs(squares - 1) < ROUNDING ? vector : undefined
}

/** Rounding to 32 bits changes the squared length of a vector by far less. */
const ROUNDING = 0.01
