import * as path from "node:path"
import { Context, Effect, Layer } from "effect"
import pg from "pg"
import { describe, expect, it } from "vitest"
import { copyLog } from "../../src/events/copying/copy.ts"
import { EventLog } from "../../src/events/log/EventLog.ts"
import { PersonalData } from "../../src/events/payload/PersonalData.ts"
import { layer as postgresLayer } from "../../src/events/postgres/PostgresEventLog.ts"
import type { Records } from "../../src/events/read/Records.ts"
import * as SqliteEventLog from "../../src/events/sqlite/SqliteEventLog.ts"
import * as Search from "../../src/search/Search.ts"
import { temporaryDirectory } from "../temporary.ts"
import { schema, sql, urlOf } from "./server.ts"

const run = <A, E>(effect: Effect.Effect<A, E, import("effect").Scope.Scope>) =>
  Effect.runPromise(Effect.scoped(effect))

const searchOf = <E>(layer: Layer.Layer<EventLog | PersonalData | Records, E>) =>
  Effect.gen(function* () {
    const context = yield* Layer.build(layer)
    const search = yield* Effect.provide(Search.make, context)
    return { log: Context.get(context, EventLog), personal: Context.get(context, PersonalData), search }
  })

const inFile = (filename: string, personal = true) => searchOf(SqliteEventLog.layer({ filename, personal }))
const onServer = (url: string, more: { readonly readonly?: boolean; readonly personal?: boolean } = {}) =>
  searchOf(postgresLayer({ url, ...more }))

const say = (log: EventLog.Service, content: string, taskId = "t", subject?: string) =>
  log.append({
    stream: `task/${taskId}`,
    taskId,
    actor: "agent:a@1",
    ...(subject === undefined ? {} : { subject }),
    events: [{ type: "MessageSent", payload: { content, format: "text" } }],
  })

const positions = (search: Search.Service, text: string) =>
  Effect.map(search.find({ text, limit: 1_000 }), ({ hits }) => hits.map(({ position }) => position))

/** A new log on the server, with its URL and its schema. */
const newLog = Effect.gen(function* () {
  const name = yield* schema
  const url = yield* Effect.promise(() => urlOf(name))
  return { name, url, ...(yield* onServer(url)) }
})

/** A role with rights on a log, and its URL. It goes with the scope. */
const asRole = (url: string, name: string, access: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const user = `${name}_${access}`
      await sql(`CREATE ROLE ${user} LOGIN PASSWORD 'pw'; SELECT ${name}.grant_access('${user}', '${access}')`)
      const changed = new URL(url)
      changed.username = user
      changed.password = "pw"
      return { url: changed.href, user }
    }),
    ({ user }) => Effect.promise(() => sql(`DROP OWNED BY ${user}; DROP ROLE ${user}`)),
  )

const WIDE = Array.from({ length: 16_500 }, (_, index) => `w${index.toString(36)}`)

/** Han characters, of which a vector holds too few. */
const HAN = Array.from({ length: 16_500 }, (_, index) => String.fromCodePoint(0x4e00 + index)).join("")

const TEXTS: ReadonlyArray<readonly [text: string, taskId?: string]> = [
  ["There is no Boiler any more", "a"],
  ["The boilers are fine, no? Boiler!", "b"],
  ["a/b rate_limit don't 'quoted' \\back:1 & | ! <-> (x)", "a"],
  ["Über die Straße, façade, ΣΊΣΥΦΟΣ, ﬁne"],
  ["東京都に行きます。京都ではない", "b"],
  ["ถนนสุขุมวิท and 한국어"],
  ["rocket 🚀 and family 👨‍👩‍👧 \u0000 nul \u{1d54f}\u{1d54f}", "a"],
  ["boiler ".repeat(400), "b"],
  [`${WIDE.join(" ")} the end of it`, "a"],
  [HAN],
  [`${"x".repeat(300)} long`],
]

const QUESTIONS: ReadonlyArray<string> = [
  ...[
    "boiler",
    "boil*",
    "BOIL",
    '"no boiler"',
    '"boiler no"',
    "no boiler",
    "boiler any",
    "kettle",
    '"',
    "'",
    "&",
    "*",
    "a b",
  ],
  ...["rate_limit", "limit_rate", "a/b", "don't", "'quoted'", "\\back:1", "<->", "x)", "NOT boiler OR", "!boiler"],
  ...[
    "uber strasse",
    "facade",
    "σισυφος",
    "fine",
    "東京",
    "京都",
    "京東",
    "東*",
    "ถนน",
    "한국",
    "🚀",
    "rocket 🚀",
    "👨‍👩‍👧",
  ],
  ...["nul", "\u{1d54f}\u{1d54f}", "w0 w5", '"wa wb"', '"wb wa"', "wcqb wcq*", '"the end of it"', '"boiler boiler"'],
  ...[
    HAN.slice(0, 3),
    `${HAN[16_499]}`,
    `${HAN[0]} ${HAN[16_498]}`,
    "x".repeat(200),
    `${"x".repeat(70)}*`,
    "Petersburg",
  ],
]

const ASKED: ReadonlyArray<Omit<Search.Asked, "text" | "limit">> = [
  {},
  { taskId: "a" },
  { kinds: ["note", "goal"] },
  { kinds: ["message"], after: 2, before: 9 },
  { order: "best" },
]

describe("a search of a log on a server", () => {
  it("gives the answers that it gives of a file, to every question, also without an index, and without keys", () =>
    run(
      Effect.gen(function* () {
        const filename = path.join(yield* temporaryDirectory, "log.db")
        const file = yield* inFile(filename)
        for (const [text, taskId] of TEXTS) yield* say(file.log, text, taskId)
        yield* say(file.log, "Anna lives in Petersburg, with a boiler", "a", "anna")
        yield* say(file.log, "Levin lives in Petersburg too", "b", "levin")
        yield* file.personal.shred({ subject: "levin", reason: "asked", actor: "human:test" })
        const name = yield* schema
        const url = yield* Effect.promise(() => urlOf(name))
        yield* copyLog({ from: filename, to: url, withKeys: true })
        const reader = yield* onServer((yield* asRole(url, name, "reader")).url, { readonly: true })
        /** Each question, and the first ones also in other ways. */
        const answersOf = (search: Search.Service, questions = QUESTIONS) =>
          Effect.forEach(questions, (text, index) =>
            Effect.forEach(index < 6 ? ASKED : [{}], (asked) =>
              Effect.map(search.find({ text, limit: 100, ...asked }), ({ hits, widened }) => ({
                text,
                asked,
                widened,
                hits,
              })),
            ),
          )
        yield* file.search.build()
        const expected = yield* answersOf(file.search)
        const few = QUESTIONS.filter((_, index) => index < 6 || index % 5 === 0)
        const expectedOfFew = yield* answersOf(file.search, few)
        // Before anybody has built an index, and after.
        expect(yield* answersOf(reader.search, few)).toEqual(expectedOfFew)
        const server = yield* onServer(url, { readonly: true })
        yield* server.search.build()
        const [[indexed] = []] = yield* Effect.promise(() => sql(`SELECT max(position) FROM ${name}.words`))
        expect(Number(indexed)).toBeGreaterThan(TEXTS.length)
        expect(yield* answersOf(server.search)).toEqual(expected)
        expect(yield* answersOf(reader.search, few)).toEqual(expectedOfFew)
        // The questions find something: each kind of text, and one of the two subjects.
        const found = expected.flat().flatMap(({ asked, hits }) => (Object.keys(asked).length === 0 ? hits : []))
        expect(new Set(found.map(({ position }) => position)).size).toBe(TEXTS.length + 1)
        const words = yield* Effect.promise(() =>
          sql(`SELECT coalesce(string_agg(words::text, ' '), '') FROM ${name}.words`),
        )
        expect(words[0]?.[0]).toContain("boiler")
        expect(words[0]?.[0]).not.toContain("petersburg")
        const without = yield* onServer(url, { readonly: true, personal: false })
        expect(yield* positions(without.search, "petersburg")).toEqual([])
        yield* (yield* onServer(url)).personal.shred({ subject: "anna", reason: "asked", actor: "human:test" })
        expect(yield* positions(server.search, "petersburg")).toEqual([])
      }),
    ))

  it("extends the index, which several may do at once, and finds each event once over many pages", () =>
    run(
      Effect.gen(function* () {
        const { url, log, search } = yield* newLog
        for (let at = 0; at < 9; at++)
          yield* Effect.forEach(Array.from({ length: 600 }), (_, index) => say(log, `boiler ${at * 600 + index}`), {
            concurrency: "unbounded",
          })
        const others = yield* Effect.forEach([1, 2], () => onServer(url, { readonly: true }))
        const all = [search, ...others.map((other) => other.search)]
        yield* Effect.forEach(all, (one) => one.build(), { concurrency: "unbounded" })
        expect(yield* search.coverage).toEqual({ position: 5_400, head: 5_400, withoutIndex: null })
        const found: Array<number> = []
        for (let before: number | undefined; ; ) {
          const { hits, next } = yield* search.find({ text: "boiler", limit: 3_000, before })
          found.push(...hits.map(({ position }) => position))
          if (next === undefined) break
          before = next
        }
        expect(found).toEqual(Array.from({ length: 5_400 }, (_, index) => 5_400 - index))
        expect(yield* positions(search, "boiler 7")).toEqual([8])
        yield* say(log, "kettle")
        expect(yield* positions(others[0]?.search ?? search, "kettle")).toEqual([5_401])
      }),
    ))

  it("is built again if it is of another log or an earlier version, and left alone if it is of a later one", () =>
    run(
      Effect.gen(function* () {
        const { name, url, log, search } = yield* newLog
        for (let index = 0; index < 20; index++) yield* say(log, `boiler ${index}`)
        yield* search.build()
        const state = () =>
          sql(`SELECT version, position, (SELECT count(*) FROM ${name}.words) FROM ${name}.words_reach`)
        const [built] = yield* Effect.promise(state)
        expect(built?.slice(1).map(Number)).toEqual([20, 20])
        for (const spoiled of [
          `UPDATE ${name}.words_reach SET hash = 'another'`,
          `UPDATE ${name}.words_reach SET position = 900`,
          `UPDATE ${name}.words_reach SET version = 1`,
          `TRUNCATE ${name}.words; UPDATE ${name}.words_reach SET version = 0, position = 0`,
          // Whoever empties the table alone must not blind searches.
          `TRUNCATE ${name}.words`,
        ]) {
          yield* Effect.promise(() => sql(spoiled))
          const again = yield* onServer(url, { readonly: true })
          expect(yield* positions(again.search, "boiler 7")).toEqual([8])
          expect(yield* Effect.promise(state)).toEqual([built])
        }
        // Damage hides hits until the index is built again, but shows nothing that is not in the log.
        yield* Effect.promise(() => sql(`UPDATE ${name}.words SET words = '''kettle'':1'`))
        expect(yield* positions(search, "kettle")).toEqual([])
        yield* Effect.promise(() => sql(`UPDATE ${name}.words_reach SET version = 99`))
        const later = yield* onServer(url, { readonly: true })
        yield* later.search.build()
        expect(yield* positions(later.search, "boiler 7")).toEqual([8])
        expect(yield* Effect.promise(() => sql(`SELECT version FROM ${name}.words_reach`))).toEqual([[99]])
        yield* Effect.promise(() => sql(`DELETE FROM ${name}.words_reach; DROP TABLE ${name}.words`))
        expect((yield* log.verify)._tag).toBe("Intact")
        yield* say(log, "goes on")
      }),
    ))

  it("a reader reads what the index lacks, a writer extends it, and appends wait for neither", () =>
    run(
      Effect.gen(function* () {
        const { name, url, log, search } = yield* newLog
        yield* say(log, "boiler")
        yield* search.build()
        yield* say(log, "a later boiler")
        const reader = yield* onServer((yield* asRole(url, name, "reader")).url, { readonly: true })
        yield* reader.search.build()
        expect(yield* positions(reader.search, "boiler")).toEqual([2, 1])
        expect(yield* reader.search.coverage).toEqual({ position: 2, head: 2, withoutIndex: null })
        const reach = () => sql(`SELECT position FROM ${name}.words_reach`)
        expect((yield* Effect.promise(reach)).map(([at]) => Number(at))).toEqual([1])
        const writer = yield* onServer((yield* asRole(url, name, "writer")).url)
        // A transaction that holds the index while others append.
        const holder = new pg.Client({ connectionString: url.split("?")[0] })
        yield* Effect.acquireRelease(
          Effect.promise(() => holder.connect()),
          () => Effect.promise(() => holder.end()),
        )
        yield* Effect.promise(() =>
          holder.query(`BEGIN; LOCK TABLE ${name}.words, ${name}.words_reach IN ACCESS EXCLUSIVE MODE`),
        )
        expect(yield* say(writer.log, "meanwhile")).toMatchObject({ position: 3 })
        yield* Effect.promise(() => holder.query("ROLLBACK"))
        yield* writer.search.build()
        expect((yield* Effect.promise(reach)).map(([at]) => Number(at))).toEqual([3])
        expect(yield* positions(writer.search, "later")).toEqual([2])
      }),
    ))
})
