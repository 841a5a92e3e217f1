import * as fs from "node:fs"
import * as path from "node:path"
import { createOpenAI } from "@ai-sdk/openai"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Cassette from "../../src/agents/models/Cassette.ts"
import * as SqliteEventLog from "../../src/events/sqlite/SqliteEventLog.ts"
import * as Memories from "../../src/memories/Memories.ts"
import { digest } from "../../src/values/Digest.ts"
import { temporaryDirectory } from "../temporary.ts"

/** A request for the vectors of some texts, and OpenAI's answer to it, by its documentation. */
const interaction = (input: ReadonlyArray<string>, vectors: ReadonlyArray<ReadonlyArray<number>>) => {
  const body = { model: "text-embedding-3-small", input: [...input], encoding_format: "float" }
  const answer = {
    object: "list",
    data: vectors.map((embedding, index) => ({ object: "embedding", index, embedding })),
    model: body.model,
    usage: { prompt_tokens: 3, total_tokens: 3 },
  }
  return {
    request: { method: "POST", path: "/v1/embeddings", digest: digest(body), body },
    response: {
      status: 200,
      headers: { "content-type": "application/json" },
      chunks: [[0, JSON.stringify(answer)]],
      end: "clean",
    },
  }
}

describe("an embedding model of the AI SDK", () => {
  it.scopedLive("embeds memories and questions, and a cassette answers in its place", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const file = path.join(directory, "vectors.json")
      const interactions = [
        interaction(["tea at five"], [[0.9, 0.1, 0]]),
        interaction(["a dog at home"], [[0, 0.1, 0.9]]),
        interaction(["something to drink"], [[0.8, 0.2, 0]]),
      ]
      fs.writeFileSync(file, JSON.stringify({ version: 1, kind: "scripted", interactions }))
      const { fetch, apiKey } = yield* Cassette.play(file)
      const embedding = createOpenAI({ fetch: fetch as typeof globalThis.fetch, apiKey }).embedding(
        "text-embedding-3-small",
      )
      const filename = path.join(directory, "log.db")
      const context = yield* Layer.build(
        Memories.layer({ embedding }).pipe(Layer.provideMerge(SqliteEventLog.layer({ filename }))),
      )
      yield* Effect.gen(function* () {
        const memories = yield* Memories.Memories
        yield* memories.remember({ text: "tea at five" })
        yield* memories.remember({ text: "a dog at home" })
        const found = yield* memories.recall({ query: "something to drink", limit: 1 })
        expect(found.memories).toMatchObject([{ text: "tea at five", byWords: false }])
        const error = yield* Effect.flip(memories.recall({ query: "another question" }))
        expect(error).toMatchObject({ _tag: "EmbeddingFailed", model: "openai.embedding/text-embedding-3-small" })
        expect(error.message).toContain("has no answer to request 4")
      }).pipe(Effect.provide(context))
    }),
  )
})
