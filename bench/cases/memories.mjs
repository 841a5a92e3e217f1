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
  return Effect.runPromise(Effect.provide(measure(directory, rounds, say), layer))
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
