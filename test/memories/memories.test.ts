import * as fs from "node:fs"
import * as path from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { EventLog } from "../../src/events/log/EventLog.ts"
import { PersonalData } from "../../src/events/payload/PersonalData.ts"
import { SqliteError } from "../../src/events/sqlite/driver/Driver.ts"
import * as SqliteEventLog from "../../src/events/sqlite/SqliteEventLog.ts"
import * as Memories from "../../src/memories/Memories.ts"
import { MemoryIndex } from "../../src/memories/MemoryIndex.ts"
import { isPassing } from "../../src/search/IndexDatabase.ts"
import * as OpenIndex from "../../src/search/OpenIndex.ts"
import { Database } from "../sqlite.ts"
import { temporaryDirectory } from "../temporary.ts"

/** Opens a log and its memories, as a process of its own would. */
const open = (filename: string, options: Memories.MemoriesOptions = {}, personal = true) =>
  Effect.gen(function* () {
    const context = yield* Layer.build(SqliteEventLog.layer({ filename, personal }))
    const memories = yield* Effect.provide(Memories.make(options), context)
    return { memories, log: Context.get(context, EventLog), personal: Context.get(context, PersonalData), filename }
  })

const newLog = (options: Memories.MemoriesOptions = {}) =>
  Effect.flatMap(temporaryDirectory, (directory) => open(path.join(directory, "log.db"), options))

const texts = (recalled: Effect.Effect<Memories.Recollection, Memories.RecallError>) =>
  Effect.map(recalled, ({ memories }) => memories.map(({ text }) => text))

/** Counts of a few words: texts with the same words point in the same direction. */
const byTopics = (
  model = "topics",
  topics = [
    ["tea", "drink"],
    ["train", "travel"],
    ["dog", "cat"],
  ],
) => ({
  model,
  embed: (all: ReadonlyArray<string>) =>
    all.map((text) => topics.map((words) => words.filter((word) => text.includes(word)).length + 0.01)),
})

const fork = (log: EventLog.Service, timeline: string, at: number, parent = "main") =>
  log.append({
    timeline: "main",
    stream: `timeline/${timeline}`,
    actor: "kernel",
    events: [
      {
        type: "TimelineForked",
        payload: { timeline, parent, at, overrides: {} },
      },
    ],
  })

const bytesOf = (file: string) =>
  ["", "-wal"].map((end) => (fs.existsSync(file + end) ? fs.readFileSync(file + end).toString("latin1") : "")).join("")

describe("memories", () => {
  it.scopedLive("are found by any of their words, without case and accents, the best first", () =>
    Effect.gen(function* () {
      const { memories } = yield* newLog()
      yield* memories.remember({ text: "Ada takes the night train to Zürich" })
      yield* memories.remember({ text: "The office has two dogs" })
      yield* memories.remember({ text: "Trains to Zurich are often full: book the train early" })
      expect(yield* texts(memories.recall({ query: "Which ZURICH train?" }))).toEqual([
        "Trains to Zurich are often full: book the train early",
        "Ada takes the night train to Zürich",
      ])
      expect((yield* texts(memories.recall({ query: "book a train" })))[0]).toContain("book the train early")
      expect(yield* texts(memories.recall({ query: "zurich", limit: 1 }))).toHaveLength(1)
      expect(yield* texts(memories.recall({ query: "?!" }))).toEqual([])
      expect(yield* texts(memories.recall({ query: 'NEAR("train" OR *) AND -about:k0' }))).toHaveLength(2)
    }),
  )

  it.scopedLive("belong to an agent and a user, and no scope finds those of another", () =>
    Effect.gen(function* () {
      const { memories } = yield* newLog()
      yield* memories.remember({ text: "tea for ada", agent: "desk", user: "ada" })
      yield* memories.remember({ text: "tea for ben", agent: "desk", user: "ben" })
      yield* memories.remember({ text: "tea for all", agent: "cook" })
      const found = (scope: Memories.MemoryScope) => texts(memories.recall({ query: "tea", ...scope }))
      expect((yield* found({})).length).toBe(3)
      expect((yield* found({ agent: "desk" })).sort()).toEqual(["tea for ada", "tea for ben"])
      expect(yield* found({ agent: "desk", user: "ben" })).toEqual(["tea for ben"])
      expect(yield* found({ user: null })).toEqual(["tea for all"])
      expect((yield* found({ user: ["ben", null] })).sort()).toEqual(["tea for all", "tea for ben"])
      expect(yield* found({ user: [] })).toEqual([])
      expect(yield* found({ agent: null })).toEqual([])
      expect(
        (yield* memories.list({ user: "ada" })).memories.map(({ text, agent, user }) => [text, agent, user]),
      ).toEqual([["tea for ada", "desk", "ada"]])
    }),
  )

  it.scopedLive("of others are in no list of those without an agent, user or subject, whatever the names are", () =>
    Effect.gen(function* () {
      const { memories } = yield* newLog()
      // Digests begin with any digit, and contain any two: the words of the index for none must not match them.
      for (let number = 0; number < 40; number++) {
        const name = `someone-${number}`
        yield* memories.remember({ text: "private", agent: name, user: name, subject: name })
      }
      yield* memories.remember({ text: "general" })
      for (const scope of [{ agent: null }, { user: null }, { subject: null }]) {
        const { memories: found } = yield* memories.list(scope)
        expect(found.map(({ text }) => text)).toEqual(["general"])
      }
    }),
  )

  it.scopedLive("of others are not what a key finds", () =>
    Effect.gen(function* () {
      const { memories } = yield* newLog()
      const ofAda = { text: "Ada likes tea", key: "drink", agent: "desk", user: "ada", subject: "ada" }
      const { id } = yield* memories.remember(ofAda)
      expect((yield* memories.remember(ofAda)).id).toBe(id)
      for (const other of [{ agent: "cook" }, { user: "ben" }, { subject: "ben" }]) {
        const error = yield* Effect.flip(memories.remember({ ...ofAda, text: "water", ...other }))
        expect(error.message).toContain("key: expected a key of this agent, user and subject alone")
        expect(error.message).not.toContain("tea")
      }
    }),
  )

  it.scopedLive("with foreign vectors that are none, or too long, hide no others", () =>
    Effect.gen(function* () {
      const { memories, log } = yield* newLog({ embedding: byTopics() })
      const float = (...components: ReadonlyArray<number>) =>
        Buffer.from(new Float32Array(components).buffer).toString("base64")
      for (const vector of [float(Number.NaN, 0, 0), float(1e9, 1e9, 1e9), float(Number.POSITIVE_INFINITY, 0, 0)]) {
        for (let number = 0; number < 60; number++) {
          const embedding = { model: "topics", dimensions: 3 }
          const payload = { text: "from elsewhere", source: "program", embedding, vector } as const
          yield* log.append({ stream: "memories", actor: "agent:program", events: [{ type: "MemoryStored", payload }] })
        }
      }
      yield* memories.remember({ text: "drink it hot" })
      const { memories: found } = yield* memories.recall({ query: "tea" })
      expect(found.map(({ text }) => text)).toEqual(["drink it hot"])
    }),
  )

  it.scopedLive(
    "are not passed over while another process holds the index: the recall fails, and the next one works",
    () =>
      Effect.gen(function* () {
        const { memories, filename } = yield* newLog()
        yield* memories.remember({ text: "tea is green" })
        yield* texts(memories.recall({ query: "tea" }))
        yield* memories.remember({ text: "tea is black" })
        const holder = new Database(`${filename}.memories`)
        holder.exec("BEGIN IMMEDIATE")
        const error = yield* Effect.flip(memories.recall({ query: "tea" }))
        expect(error.message).toContain("another process holds it")
        holder.exec("ROLLBACK")
        holder.close()
        expect(yield* texts(memories.recall({ query: "tea" }))).toHaveLength(2)
      }),
  )

  it.scopedLive("can be recalled again after the disk was full", () =>
    Effect.gen(function* () {
      const { log } = yield* newLog()
      let isFull = true
      const index = yield* OpenIndex.make(log, {
        open: () => {
          if (isFull) throw new SqliteError("SQLITE_FULL", "database or disk is full")
          return MemoryIndex.inMemory()
        },
        fileOf: () => "",
        replace: () => MemoryIndex.inMemory(),
        mayPass: isPassing,
      })
      expect(yield* index.use(({ generation }) => generation)).toBeUndefined()
      expect(index.problem()).toContain("full")
      isFull = false
      expect(yield* index.use(({ generation }) => generation)).toBeDefined()
      expect(index.problem()).toBeNull()
    }),
  )

  it.scopedLive("are those of then: a recall at a position finds nothing that came later", () =>
    Effect.gen(function* () {
      const { memories, log } = yield* newLog()
      const first = yield* memories.remember({ text: "tea is green" })
      const second = yield* memories.remember({ text: "tea is black" })
      expect(yield* texts(memories.recall({ query: "tea", at: first.position }))).toEqual(["tea is green"])
      expect(yield* texts(memories.recall({ query: "tea", at: 0 }))).toEqual([])
      expect((yield* memories.recall({ query: "tea", at: second.position })).at).toBe(second.position)
      expect((yield* memories.list({ at: first.position })).memories).toHaveLength(1)
      const { position } = yield* log.head
      const error = yield* Effect.flip(memories.recall({ query: "tea", at: position + 1 }))
      expect(error.message).toContain(`There is no position @${position + 1}`)
    }),
  )

  it.scopedLive("of a fork are those before the fork point and its own, by words and by vectors", () =>
    Effect.gen(function* () {
      const { memories, log } = yield* newLog({ embedding: byTopics() })
      const before = yield* memories.remember({ text: "tea before" })
      yield* fork(log, "try", before.position)
      yield* memories.remember({ text: "tea later, on main" })
      yield* memories.remember({ text: "tea on the fork", timeline: "try" })
      for (const query of ["tea", "something to drink"]) {
        expect((yield* texts(memories.recall({ query, at: "try@now" }))).sort()).toEqual([
          "tea before",
          "tea on the fork",
        ])
        expect((yield* texts(memories.recall({ query }))).sort()).toEqual(["tea before", "tea later, on main"])
      }
      const error = yield* Effect.flip(memories.recall({ query: "tea", at: "tri@now" }))
      expect(error.message).toContain("Did you mean")
    }),
  )

  it.scopedLive("are near in meaning by the vectors of an embedding model", () =>
    Effect.gen(function* () {
      const { memories } = yield* newLog({ embedding: byTopics() })
      yield* memories.remember({ text: "a dog at home" })
      yield* memories.remember({ text: "tea at five" })
      const { memories: found } = yield* memories.recall({ query: "what does she drink?", limit: 1 })
      expect(found).toMatchObject([{ text: "tea at five", byWords: false }])
      expect(found[0]?.similarity).toBeGreaterThan(0.9)
    }),
  )

  it.scopedLive("with a key are stored once, whoever calls again", () =>
    Effect.gen(function* () {
      const { memories, filename } = yield* newLog({ embedding: byTopics() })
      const first = yield* memories.remember({ text: "tea", key: "one" })
      const again = yield* memories.remember({ text: "tea", key: "one" })
      const other = yield* open(filename)
      expect([again.id, (yield* other.memories.remember({ text: "tea, otherwise", key: "one" })).id]).toEqual([
        first.id,
        first.id,
      ])
      expect((yield* memories.list()).memories).toHaveLength(1)
    }),
  )
})

describe("the index of memories", () => {
  it.scopedLive("has no text, and is built again from the log when it is missing, damaged or another log's", () =>
    Effect.gen(function* () {
      const { memories, filename } = yield* newLog({ embedding: byTopics() })
      yield* memories.remember({ text: "Ada likes strong tea" })
      const answer = yield* memories.recall({ query: "tea" })
      const file = Memories.fileOf(filename)
      expect(fs.statSync(file).mode & 0o777).toBe(0o600)
      expect(bytesOf(file)).not.toContain("Ada likes")
      const recallAgain = Effect.scoped(
        Effect.gen(function* () {
          const { memories } = yield* open(filename, { embedding: byTopics() })
          return yield* memories.recall({ query: "tea" })
        }),
      )
      for (const suffix of ["", "-wal", "-shm"]) fs.rmSync(file + suffix, { force: true })
      expect(yield* recallAgain).toEqual(answer)
      fs.writeFileSync(file, "this is no database, but a text of some length".repeat(200))
      expect(yield* recallAgain).toEqual(answer)
      const database = new Database(file)
      database.exec("UPDATE reached SET hash = 'of another log'")
      database.close()
      expect(yield* recallAgain).toEqual(answer)
      expect(yield* memories.rebuild).toEqual({ memories: 1, embedded: 0, unreadable: 0 })
      expect(yield* memories.recall({ query: "tea" })).toMatchObject({ memories: answer.memories })
    }),
  )

  it.scopedLive("follows the memories that other processes store", () =>
    Effect.gen(function* () {
      const one = yield* newLog({ embedding: byTopics() })
      const other = yield* open(one.filename, { embedding: byTopics() })
      yield* one.memories.remember({ text: "tea by one" })
      expect(yield* texts(other.memories.recall({ query: "tea" }))).toEqual(["tea by one"])
      yield* other.memories.remember({ text: "tea by the other" })
      expect((yield* texts(one.memories.recall({ query: "a drink" }))).sort()).toEqual([
        "tea by one",
        "tea by the other",
      ])
    }),
  )

  it.scopedLive("never has personal data, and a shredded subject is forgotten at once in every process", () =>
    Effect.gen(function* () {
      const one = yield* newLog({ embedding: byTopics() })
      const other = yield* open(one.filename, { embedding: byTopics() })
      yield* one.memories.remember({ text: "anna drinks tea", subject: "anna", agent: "desk", user: "anna" })
      yield* one.memories.remember({ text: "ben drinks tea", subject: "ben", agent: "desk" })
      yield* one.memories.remember({ text: "the office drinks tea", agent: "desk" })
      const found = (subject?: string | null) =>
        Effect.map(
          other.memories.recall({ query: "tea", agent: "desk", ...(subject === undefined ? {} : { subject }) }),
          ({ memories, unreadable }) => ({ found: memories.map(({ text }) => text).sort(), unreadable }),
        )
      expect(yield* found()).toEqual({
        found: ["anna drinks tea", "ben drinks tea", "the office drinks tea"],
        unreadable: 0,
      })
      expect(yield* found("anna")).toEqual({ found: ["anna drinks tea"], unreadable: 0 })
      expect(yield* found(null)).toEqual({ found: ["the office drinks tea"], unreadable: 0 })
      expect(yield* found("nobody")).toEqual({ found: [], unreadable: 0 })
      for (const word of ["anna", "ben"]) expect(bytesOf(Memories.fileOf(one.filename))).not.toContain(word)
      expect(bytesOf(Memories.fileOf(one.filename))).toContain("offic")

      yield* one.personal.shred({ subject: "anna", reason: "she asked", actor: "human:test" })
      for (const { memories } of [one, other]) {
        expect((yield* texts(memories.recall({ query: "anna drinks tea" }))).sort()).toEqual([
          "ben drinks tea",
          "the office drinks tea",
        ])
        expect((yield* memories.recall({ query: "something to drink" })).unreadable).toBe(1)
      }
      expect(yield* found("anna")).toEqual({ found: [], unreadable: 0 })
      expect(yield* one.memories.rebuild).toEqual({ memories: 2, embedded: 0, unreadable: 1 })
      const keyless = yield* open(one.filename, {}, false)
      expect(yield* keyless.memories.recall({ query: "tea" })).toMatchObject({
        memories: [{ text: "the office drinks tea" }],
        unreadable: 2,
      })
    }),
  )
})

describe("an embedding model", () => {
  it.scopedLive("other than that of the stored vectors is refused, until a rebuild embeds all memories again", () =>
    Effect.gen(function* () {
      const { memories, filename } = yield* newLog({ embedding: byTopics("small") })
      yield* memories.remember({ text: "tea at five" })
      yield* memories.remember({ text: "anna drinks", subject: "anna" })
      const other = yield* open(filename, { embedding: byTopics("large", [["tea"], ["x"]]) })
      const mistake = yield* Effect.flip(other.memories.recall({ query: "tea" }))
      expect(mistake._tag).toBe("EmbeddingMismatch")
      expect(mistake.message).toContain("small with 3 dimensions, found large")
      expect(mistake.message).toContain("call memories.rebuild() once to embed all memories with large")
      expect((yield* Effect.flip(other.memories.remember({ text: "tea" })))._tag).toBe("EmbeddingMismatch")
      const bigger = yield* open(filename, { embedding: byTopics("small", [["tea"]]) })
      expect((yield* Effect.flip(bigger.memories.recall({ query: "tea" }))).message).toContain(
        "small with 3 dimensions, found small with 1 dimensions",
      )
      expect(yield* other.memories.rebuild).toEqual({ memories: 2, embedded: 2, unreadable: 0 })
      expect(yield* other.memories.rebuild).toEqual({ memories: 2, embedded: 0, unreadable: 0 })
      expect((yield* other.memories.recall({ query: "tea" })).memories[0]).toMatchObject({ text: "tea at five" })
      expect((yield* Effect.flip(memories.recall({ query: "tea" })))._tag).toBe("EmbeddingMismatch")
    }),
  )

  it.scopedLive("that fails in the middle of a rebuild loses nothing: the next one continues", () =>
    Effect.gen(function* () {
      const { memories, filename } = yield* newLog()
      for (let number = 0; number < 100; number++) yield* memories.remember({ text: `tea ${number}` })
      let calls = 0
      const working = byTopics()
      const failing = {
        model: "topics",
        embed: (all: ReadonlyArray<string>) => {
          calls += 1
          if (calls === 3) throw new Error("the provider is down")
          return working.embed(all)
        },
      }
      const { memories: again } = yield* open(filename, { embedding: failing })
      expect(yield* Effect.flip(again.rebuild)).toMatchObject({
        _tag: "EmbeddingFailed",
        reason: "the provider is down",
      })
      expect((yield* again.rebuild).embedded).toBe(36)
    }),
  )

  const NOT_VECTORS: ReadonlyArray<readonly [unknown, string]> = [
    [undefined, "expected a list of vectors, found undefined"],
    [[], "expected 1 vectors, found 0"],
    [[[1], [2]], "expected 1 vectors, found 2"],
    [[[]], "expected a vector of 1 to 65536 components, found 0"],
    [["0.1"], "expected a vector, a list of numbers, found 0.1"],
    [[[1, Number.NaN]], "expected finite numbers in a vector, found NaN"],
    [[[1, "2"]], "expected finite numbers in a vector, found 2"],
    [[[0, 0]], "expected a vector with a direction, found one of length 0"],
    [() => Promise.reject(new Error("429")), "429"],
    [Effect.fail(new Error("no key")), "no key"],
  ]
  for (const [returned, reason] of NOT_VECTORS) {
    it.scopedLive(`that gives no vectors stores nothing: ${reason}`, () =>
      Effect.gen(function* () {
        const { memories, log } = yield* newLog({
          embedding: { model: "bad", embed: () => (typeof returned === "function" ? returned() : returned) },
        })
        const error = yield* Effect.flip(memories.remember({ text: "tea" }))
        expect(error).toMatchObject({ _tag: "EmbeddingFailed", model: "bad", reason })
        expect((yield* log.head).position).toBe(0)
      }),
    )
  }

  it.scopedLive("of the AI SDK gets as many texts at once as it takes", () =>
    Effect.gen(function* () {
      const sizes: Array<number> = []
      const embedding = {
        provider: "test.embedding",
        modelId: "tiny",
        maxEmbeddingsPerCall: 10,
        doEmbed: async ({ values }: { values: Array<string> }) => {
          sizes.push(values.length)
          return { embeddings: byTopics().embed(values) }
        },
      }
      const { memories, filename } = yield* newLog()
      for (let number = 0; number < 25; number++) yield* memories.remember({ text: `tea ${number}` })
      const { memories: again, log } = yield* open(filename, { embedding })
      yield* again.rebuild
      expect(sizes).toEqual([1, 10, 10, 5])
      const [event] = yield* log.readPage({ types: ["MemoryEmbedded"] }, 1)
      expect(event?.payload.embedding).toEqual({ model: "test.embedding/tiny", dimensions: 3 })
    }),
  )
})

describe("wrong options of memories", () => {
  const wrong = (options: object) =>
    Effect.flatMap(newLog(), ({ memories }) => Effect.flip(memories.remember(options as Memories.RememberOptions)))

  it.scopedLive("are reported all at once", () =>
    Effect.gen(function* () {
      const { message } = yield* wrong({ text: " ", agent: "a\nb", when: 1 })
      expect(message).toContain("The options of memories.remember have 3 mistakes")
      expect((yield* wrong({ text: "x".repeat(8_001) })).message).toContain("1 to 8000 characters")
      const { memories } = yield* newLog()
      const asked = yield* Effect.flip(memories.recall({ query: "tea", limit: 101 }))
      expect(asked.message).toContain("limit: expected a whole number from 1 to 100, found 101")
      const made = yield* Effect.flip(newLog({ embedding: ((all: Array<string>) => all) as never }))
      expect(made.message).toContain("embedding: expected { model, embed }")
    }),
  )
})
