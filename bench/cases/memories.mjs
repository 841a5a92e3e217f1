/** Recalls among 100,000 memories, against the same full-text query on a bare FTS5 table. */
import * as path from "node:path"
import { Effect, Layer } from "effect"
import { EventLog, Memories } from "../../dist/index.js"
import { spend } from "../measure.mjs"
import { openRaw } from "../raw.mjs"

const MEMORIES = 100_000
const PIECE = 1_000

/** Questions of two to four words, some frequent and some rare. */
const QUESTIONS = ["window seat", "invoice of march", "late train to basel", "dog 4711", "tea without sugar today"]

const SUBJECTS = ["Ada", "Ben", "Cora", "Dana", "Eli", "Finn", "Gus", "Hana"]
const VERBS = ["prefers", "ordered", "asked for", "complained about", "paid for", "returned", "forgot"]
const THINGS = [
  "a window seat",
  "green tea without sugar",
  "the invoice of March",
  "the late train to Basel",
  "a dog",
  "two tickets",
]

const textOf = (number) =>
  `${SUBJECTS[number % SUBJECTS.length]} ${VERBS[number % VERBS.length]} ${THINGS[number % THINGS.length]} on day ${number % 365}, case ${number}`

export const run = async (directory, rounds, say) => {
  const filename = path.join(directory, "memories.db")
  say(`storing ${MEMORIES.toLocaleString("en")} memories`)
  const layer = Memories.layer().pipe(Layer.provideMerge(EventLog.layerSqlite({ filename })))
  const byWords = await Effect.runPromise(Effect.provide(measure(directory, rounds, say), layer))
  return [...byWords, await nearest(path.join(directory, "vectors.db"), rounds, say)]
}

const measure = (directory, rounds, say) =>
  Effect.gen(function* () {
    const log = yield* EventLog.EventLog
    const memories = yield* Memories.Memories
    for (let from = 0; from < MEMORIES; from += PIECE) {
      const events = Array.from({ length: PIECE }, (_, index) => {
        const number = from + index
        return {
          type: "MemoryStored",
          payload: { text: textOf(number), agent: `agent-${number % 4}`, source: "program" },
        }
      })
      yield* log.append({ stream: "memories", actor: "agent:bench", events })
    }
    say("building the index")
    yield* memories.recall({ query: "seat" })
    const raw = bare(path.join(directory, "bare.db"))
    say("recalling")
    const recalled = async (options) => {
      for (const query of QUESTIONS) await Effect.runPromise(memories.recall({ query, limit: 10, ...options }))
    }
    const spent = yield* Effect.promise(() =>
      spend(
        {
          all: () => recalled({}),
          scoped: () => recalled({ agent: "agent-1" }),
          bare: async () => {
            for (const query of QUESTIONS) raw.find(query)
          },
        },
        Math.max(rounds, 7),
      ),
    )
    raw.close()
    const row = (what, ours) => ({
      what,
      unit: "ms",
      ours: ours.ms / QUESTIONS.length,
      floor: spent.bare.ms / QUESTIONS.length,
      ratio: ours.ms / spent.bare.ms,
      cpuRatio: ours.cpuMs / spent.bare.cpuMs,
      bound: { at: "most", value: 2 },
      floorIs: "the same words in a bare FTS5 table, with the texts of the ten best",
    })
    return [
      row(`recall among ${MEMORIES.toLocaleString("en")} memories, by words`, spent.all),
      row("the same, of one agent of four", spent.scoped),
    ]
  })

/** A table of FTS5 with the same texts, and the query that one would write by hand. */
const bare = (filename) => {
  const database = openRaw(filename)
  database.exec("CREATE VIRTUAL TABLE memory USING fts5(text, tokenize = 'porter ascii')")
  const insert = database.prepare("INSERT INTO memory (rowid, text) VALUES (?, ?)")
  database.exec("BEGIN")
  for (let number = 0; number < MEMORIES; number++) insert.run(number + 1, textOf(number))
  database.exec("COMMIT")
  const query = database.prepare("SELECT rowid, text, rank FROM memory WHERE memory MATCH ? ORDER BY rank LIMIT 10")
  return {
    find: (question) =>
      query.all(
        question
          .split(" ")
          .map((word) => `"${word}"`)
          .join(" OR "),
      ),
    close: () => database.close(),
  }
}

const EMBEDDED = 20_000
const DIMENSIONS = 384

/** Vectors in any direction: this is about time, not about meaning. */
const vectorOf = (seed) => {
  let state = seed + 1
  return Array.from({ length: DIMENSIONS }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 1_073_741_824 - 1
  })
}

/** Recalls by words that no memory has, so that only vectors count. */
const nearest = async (filename, rounds, say) => {
  say(`storing ${EMBEDDED.toLocaleString("en")} memories with vectors of ${DIMENSIONS} dimensions`)
  let embedded = 0
  const embedding = { model: "bench", embed: (texts) => texts.map(() => vectorOf(embedded++)) }
  const layer = Memories.layer({ embedding }).pipe(Layer.provideMerge(EventLog.layerSqlite({ filename })))
  const program = Effect.gen(function* () {
    const log = yield* EventLog.EventLog
    const memories = yield* Memories.Memories
    for (let from = 0; from < EMBEDDED; from += PIECE) {
      const events = Array.from({ length: PIECE }, (_, index) => {
        const payload = { text: textOf(from + index), source: "program" }
        return { type: "MemoryStored", payload }
      })
      yield* log.append({ stream: "memories", actor: "agent:bench", events })
    }
    yield* memories.rebuild
    yield* memories.recall({ query: "zzz" })
    const all = new Float32Array(EMBEDDED * DIMENSIONS)
    for (let number = 0; number < EMBEDDED; number++) all.set(vectorOf(number), number * DIMENSIONS)
    say("recalling by vectors")
    const spent = yield* Effect.promise(() =>
      spend(
        {
          ours: () => Effect.runPromise(memories.recall({ query: "zzz", limit: 10 })),
          bare: async () => scanned(all, vectorOf(7)),
        },
        Math.max(rounds, 7),
      ),
    )
    return {
      what: `recall among ${EMBEDDED.toLocaleString("en")} vectors of ${DIMENSIONS} dimensions`,
      unit: "ms",
      ours: spent.ours.ms,
      floor: spent.bare.ms,
      ratio: spent.ours.ms / spent.bare.ms,
      cpuRatio: spent.ours.cpuMs / spent.bare.cpuMs,
      bound: { at: "most", value: 3 },
      floorIs: "one plain loop over all vectors, which keeps the nearest",
    }
  })
  return Effect.runPromise(Effect.provide(program, layer))
}

const scanned = (all, query) => {
  let [best, at] = [Number.NEGATIVE_INFINITY, -1]
  for (let row = 0; row < EMBEDDED; row++) {
    let sum = 0
    for (let index = 0; index < DIMENSIONS; index++) sum += query[index] * all[row * DIMENSIONS + index]
    if (sum > best) [best, at] = [sum, row]
  }
  return at
}
