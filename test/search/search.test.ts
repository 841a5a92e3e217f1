import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { type CoreNewEvent, EventLog } from "../../src/events/index.ts"
import { PersonalData } from "../../src/events/payload/PersonalData.ts"
import * as SqliteEventLog from "../../src/events/sqlite/SqliteEventLog.ts"
import { encoder } from "../../src/events/steps/StepColumns.ts"
import * as StepPosition from "../../src/events/steps/StepPosition.ts"
import * as Search from "../../src/search/Search.ts"
import { Database } from "../sqlite.ts"
import { temporaryDirectory } from "../temporary.ts"

const sqlite = (filename: string, options: Partial<SqliteEventLog.SqliteOptions> = {}) =>
  Layer.build(SqliteEventLog.layer({ filename, ...options }))

/** Opens a log and its search. */
const open = (filename: string, options: Partial<SqliteEventLog.SqliteOptions> = {}) =>
  Effect.gen(function* () {
    const context = yield* sqlite(filename, options)
    const search = yield* Effect.provide(Search.make, context)
    return { context, log: Context.get(context, EventLog), personal: Context.get(context, PersonalData), search }
  })

const newLog = Effect.gen(function* () {
  const filename = path.join(yield* temporaryDirectory, "log.db")
  return { filename, ...(yield* open(filename)) }
})

const say = (log: EventLog.Service, content: string, taskId = "t", subject?: string) =>
  log.append({
    stream: `task/${taskId}`,
    taskId,
    actor: "agent:a@1",
    ...(subject === undefined ? {} : { subject }),
    events: [{ type: "MessageSent", payload: { content, format: "text" } }],
  })

const add = (log: EventLog.Service, events: readonly [CoreNewEvent, ...Array<CoreNewEvent>], taskId = "t") =>
  log.append({ stream: `task/${taskId}`, taskId, actor: "kernel", events })

const positions = (search: Search.Service, text: string, asked: Partial<Search.Asked> = {}) =>
  Effect.map(search.find({ text, limit: 100, ...asked }), ({ hits }) => hits.map(({ position }) => position))

/** The files of a log's index. */
const filesOf = (log: string): ReadonlyArray<string> => {
  const directory = path.join(process.env.HINDCAST_STATE ?? "", "search")
  const name = crypto.createHash("sha256").update(fs.realpathSync(log)).digest("hex").slice(0, 32)
  return fs
    .readdirSync(directory)
    .filter((file) => file.startsWith(name) && !file.endsWith(".log"))
    .map((file) => path.join(directory, file))
}

const hasBytes = (log: string, text: string) =>
  filesOf(log).some((file) => fs.readFileSync(file).toString("latin1").toLowerCase().includes(text.toLowerCase()))

describe("a search", () => {
  it.scopedLive("finds words, phrases and beginnings in every kind of text, the newest first", () =>
    Effect.gen(function* () {
      const { log, search } = yield* newLog
      yield* add(log, [{ type: "TaskOpened", payload: { goal: "Keep the boiler warm", measures: [], agent: "a@1" } }])
      yield* say(log, "There is no Boiler any more")
      yield* say(log, "The boilers are fine", "u")
      yield* add(log, [
        {
          type: "ActuatorCommanded",
          payload: {
            commandId: "c",
            actuator: "boiler/heat",
            args: { to: 60 },
            argsDigest: "0".repeat(64),
            priority: 0,
          },
        },
        { type: "CommandFailed", payload: { commandId: "c", error: { code: "Gone", message: "no boiler" } } },
        { type: "TaskClosed", payload: { outcome: "failed", reason: "it broke" } },
      ])
      yield* search.build()
      expect(yield* positions(search, "boiler")).toEqual([5, 4, 2, 1])
      expect(yield* positions(search, "boil*")).toEqual([5, 4, 3, 2, 1])
      expect(yield* positions(search, '"no boiler"')).toEqual([5, 2])
      expect(yield* positions(search, "boiler warm")).toEqual([1])
      expect(yield* positions(search, "boiler/heat 60")).toEqual([4])
      expect(yield* positions(search, "boil*", { taskId: "u" })).toEqual([3])
      expect(yield* positions(search, "boiler", { kinds: ["goal", "error"] })).toEqual([5, 1])
      expect(yield* positions(search, "boiler", { after: 1, before: 5 })).toEqual([4, 2])
      expect(yield* positions(search, "boiler", { order: "best" })).toEqual([1, 5, 2, 4])
      const { hits } = yield* search.find({ text: "gone", limit: 1 })
      expect(hits).toMatchObject([{ position: 5, taskId: "t", timeline: "main", type: "CommandFailed", kind: "error" }])
      expect(hits[0]?.excerpt).toEqual([
        { text: "Gone", marked: true },
        { text: "\nno boiler", marked: false },
      ])
    }),
  )

  it.scopedLive("finds words that begin like its own if none is the same, and says so", () =>
    Effect.gen(function* () {
      const { log, search } = yield* newLog
      yield* say(log, "the boiler")
      yield* say(log, "boil")
      expect(yield* search.find({ text: "boile", limit: 5 })).toMatchObject({ widened: true, hits: [{ position: 1 }] })
      expect(yield* search.find({ text: "boil", limit: 5 })).toMatchObject({ widened: false, hits: [{ position: 2 }] })
      expect(yield* search.find({ text: "kettle", limit: 5 })).toMatchObject({ widened: false, hits: [] })
    }),
  )

  it.scopedLive("never fails because of its text", () =>
    Effect.gen(function* () {
      const { log, search } = yield* newLog
      yield* say(log, "NEAR the boiler OR not AND column")
      const hostile = [
        '"',
        "'",
        "NEAR(",
        "a OR",
        "AND",
        "NOT",
        "words:x",
        "about : kgoal",
        "^x",
        "-",
        "*",
        "(((",
        "\u0000",
        "{a b}:c",
        "x".repeat(5_000),
      ]
      for (const text of hostile) {
        const { hits } = yield* search.find({ text, limit: 5 })
        expect(hits.length).toBeLessThan(2)
      }
      expect(yield* positions(search, "kmessage")).toEqual([])
      expect(yield* positions(search, "NOT boiler OR")).toEqual([1])
    }),
  )

  it.scopedLive("goes on before the last hit until none is left", () =>
    Effect.gen(function* () {
      const { log, search } = yield* newLog
      for (let index = 0; index < 7; index++) yield* say(log, `boiler ${index}`)
      const first = yield* search.find({ text: "boiler", limit: 3 })
      expect(first.hits.map(({ position }) => position)).toEqual([7, 6, 5])
      const second = yield* search.find({ text: "boiler", limit: 4, before: first.next })
      expect(second.hits.map(({ position }) => position)).toEqual([4, 3, 2, 1])
      expect(second.next).toBe(undefined)
    }),
  )

  it.scopedLive("reads the events of a log that is not in a file, with the same result", () =>
    Effect.gen(function* () {
      const { log, search } = yield* open(":memory:")
      for (let index = 0; index < 1_200; index++) yield* say(log, index % 100 === 0 ? `boiler ${index}` : "nothing")
      expect(yield* positions(search, "boiler")).toEqual(Array.from({ length: 12 }, (_, index) => 1_101 - 100 * index))
      expect(yield* search.find({ text: "boiler", limit: 2 })).toMatchObject({
        next: 902,
        coverage: { position: 1_200, withoutIndex: expect.stringContaining("not in a file") },
      })
      expect(yield* search.find({ text: "kettle", limit: 2, budgetMs: -1 })).toMatchObject({ hits: [], next: 1_201 })
    }),
  )
})

describe("the index of a search", () => {
  it.scopedLive("is built in pieces, which another process continues, and follows the log", () =>
    Effect.gen(function* () {
      const { filename, log, search } = yield* newLog
      const texts = Array.from({ length: 9_000 }, (_, index) => `message ${index}`)
      for (let at = 0; at < texts.length; at += 500) {
        yield* Effect.forEach(texts.slice(at, at + 500), (text) => say(log, text), { concurrency: "unbounded" })
      }
      const reached: Array<number> = []
      yield* Effect.scoped(
        Effect.gen(function* () {
          const other = yield* open(filename, { readonly: true })
          yield* other.search
            .build({ onProgress: (position) => Effect.sync(() => void reached.push(position)) })
            .pipe(
              Effect.raceFirst(
                Effect.repeat(Effect.yieldNow(), { until: () => reached.length > 0 }).pipe(Effect.asVoid),
              ),
            )
        }),
      )
      expect(reached).toEqual([4_000])
      expect(yield* search.find({ text: "message", limit: 1 })).toMatchObject({
        hits: [{ position: 4_000 }],
        coverage: { position: 4_000, head: 9_000, withoutIndex: null },
      })
      yield* search.build()
      yield* say(log, "message 9000")
      expect(yield* positions(search, "message 9000")).toEqual([9_001])
      expect(yield* search.coverage).toEqual({ position: 9_001, head: 9_001, withoutIndex: null })
    }),
  )

  it.scopedLive("has each event once if several build it at once", () =>
    Effect.gen(function* () {
      const { filename, log, search } = yield* newLog
      for (let at = 0; at < 20; at++) {
        yield* Effect.forEach(Array.from({ length: 500 }), () => say(log, "boiler"), { concurrency: "unbounded" })
      }
      const others = yield* Effect.forEach([1, 2], () => open(filename, { readonly: true }))
      const all = [search, ...others.map((other) => other.search)]
      yield* Effect.forEach(all, (one) => one.build(), { concurrency: "unbounded" })
      const found: Array<number> = []
      for (let before: number | undefined; ; ) {
        const { hits, next } = yield* search.find({ text: "boiler", limit: 3_000, before })
        found.push(...hits.map(({ position }) => position))
        if (next === undefined) break
        before = next
      }
      expect(found).toEqual(Array.from({ length: 10_000 }, (_, index) => 10_000 - index))
    }),
  )

  it.scopedLive.each([
    ["is no database", (file: string) => fs.writeFileSync(file, "x".repeat(8_192))],
    [
      "is another program's",
      (file: string) => {
        fs.rmSync(file)
        new Database(file).exec("CREATE TABLE words (a); CREATE TABLE reached (position, hash)").close()
        fs.chmodSync(file, 0o600)
      },
    ],
    [
      "is damaged",
      (file: string) => {
        const bytes = fs.readFileSync(file)
        fs.writeFileSync(file, Buffer.concat([bytes.subarray(0, 4096), crypto.randomBytes(bytes.length - 4096)]))
      },
    ],
  ] as const)("is built again if it %s", ([, spoil]) =>
    Effect.gen(function* () {
      const { filename, log, search } = yield* newLog
      for (let index = 0; index < 20; index++) yield* say(log, `boiler ${index}`)
      yield* Effect.scoped(Effect.flatMap(open(filename, { readonly: true }), ({ search }) => search.build()))
      for (const file of filesOf(filename)) {
        if (file.endsWith(".db")) spoil(file)
        else fs.rmSync(file)
      }
      expect(yield* positions(search, "boiler 7")).toEqual([8])
      expect(yield* search.coverage).toMatchObject({ withoutIndex: null })
    }),
  )

  it.scopedLive("is built again for another log at the same place, and goes with its log", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const filename = path.join(directory, "log.db")
      const fill = (word: string) =>
        Effect.scoped(
          Effect.gen(function* () {
            const { log, search } = yield* open(filename)
            yield* say(log, word)
            yield* search.build()
            return yield* positions(search, "kettle")
          }),
        )
      expect(yield* fill("kettle")).toEqual([1])
      fs.rmSync(filename)
      expect(yield* fill("boiler")).toEqual([])
      expect(hasBytes(filename, "kettle")).toBe(false)
      const files = filesOf(filename)
      expect(files.length).toBeGreaterThan(0)
      fs.rmSync(filename)
      // Any search removes the indexes of logs that are gone.
      const { search } = yield* newLog
      yield* positions(search, "anything")
      expect(files.filter((file) => fs.existsSync(file))).toEqual([])
    }),
  )

  it.scopedLive("works for a log that is opened for reading only, and changes nothing next to it", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const filename = path.join(directory, "log.db")
      yield* Effect.scoped(Effect.flatMap(open(filename), ({ log }) => say(log, "boiler")))
      const before = fs.readdirSync(directory)
      const { search } = yield* open(filename, { readonly: true })
      expect(yield* positions(search, "boiler")).toEqual([1])
      expect(yield* search.coverage).toMatchObject({ withoutIndex: null })
      expect(fs.readdirSync(directory).filter((file) => !/-(?:wal|shm)$/.test(file))).toEqual(before)
    }),
  )

  it.scopedLive("is not used if others could exchange it", () =>
    Effect.gen(function* () {
      const { filename, log, search } = yield* newLog
      yield* say(log, "boiler")
      yield* Effect.scoped(Effect.flatMap(open(filename, { readonly: true }), (other) => other.search.build()))
      const [file] = filesOf(filename).filter((one) => one.endsWith(".db"))
      fs.chmodSync(file ?? "", 0o666)
      expect(yield* positions(search, "boiler")).toEqual([1])
      expect(yield* search.coverage).toMatchObject({ withoutIndex: expect.stringContaining("open to others") })
    }),
  )
})

describe("personal data", () => {
  const SECRET = "Petersburg"

  it.scopedLive("is found while its key exists, is never in the file of the index, and is gone with the key", () =>
    Effect.gen(function* () {
      const { filename, log, personal, search } = yield* newLog
      yield* say(log, "public harbour")
      yield* say(log, `Anna lives in ${SECRET}`, "t", "anna")
      yield* add(log, [{ type: "TaskClosed", payload: { outcome: "achieved", reason: "harbour done" } }])
      yield* search.build()
      expect(yield* positions(search, SECRET)).toEqual([2])
      expect(yield* positions(search, "lives OR in")).toEqual([])
      expect(hasBytes(filename, "harbour")).toBe(true)
      expect(hasBytes(filename, SECRET)).toBe(false)
      // A reader without keys finds nothing of it, and neither did the index.
      const reader = yield* open(filename, { readonly: true, personal: false })
      expect(yield* positions(reader.search, SECRET)).toEqual([])
      yield* personal.shred({ subject: "anna", reason: "she asked", actor: "human:officer" })
      expect(yield* positions(search, SECRET)).toEqual([])
      expect(yield* positions(search, "harbour")).toEqual([3, 1])
      expect(hasBytes(filename, SECRET)).toBe(false)
    }),
  )

  it.scopedLive("is not in the index either when it is destroyed while no index is open", () =>
    Effect.gen(function* () {
      const filename = path.join(yield* temporaryDirectory, "log.db")
      yield* Effect.scoped(
        Effect.gen(function* () {
          const { log, search } = yield* open(filename)
          yield* say(log, "public harbour")
          yield* say(log, `Anna lives in ${SECRET}`, "t", "anna")
          yield* search.build()
          expect(yield* positions(search, SECRET)).toEqual([2])
        }),
      )
      yield* Effect.scoped(
        Effect.gen(function* () {
          const context = yield* sqlite(filename)
          yield* Context.get(context, PersonalData).shred({ subject: "anna", reason: "r", actor: "human:officer" })
        }),
      )
      expect(hasBytes(filename, "harbour")).toBe(true)
      expect(hasBytes(filename, SECRET)).toBe(false)
      const { search } = yield* open(filename, { readonly: true })
      expect(yield* positions(search, SECRET)).toEqual([])
      expect(yield* positions(search, "harbour")).toEqual([1])
    }),
  )

  it.scopedLive("is searched within the given time, and the rest later", () =>
    Effect.gen(function* () {
      const { log, search } = yield* newLog
      for (let at = 0; at < 4; at++) {
        yield* Effect.forEach(Array.from({ length: 400 }), () => say(log, "nothing", "t", "anna"), {
          concurrency: "unbounded",
        })
      }
      yield* say(log, "boiler")
      yield* search.build()
      const found = yield* search.find({ text: "boiler", limit: 5, budgetMs: -1 })
      expect(found).toMatchObject({ hits: [], next: 1_602 })
      expect(yield* positions(search, "boiler", { before: found.next })).toEqual([1_601])
    }),
  )

  /** Steps of a game in words, in compact form: so many in each event. */
  const steps = (log: EventLog.Service, said: ReadonlyArray<string>, size: number) =>
    Effect.gen(function* () {
      const encode = encoder()
      for (let first = 0; first < said.length; first += size) {
        const some = said.slice(first, first + size).map((action) => ({
          action,
          result: { reward: 0, rewards: {}, terminated: false, truncated: false, info: {} },
          patch: [],
          readings: { observation: `heard ${action}` },
        }))
        const columns = encode.encode(some)
        if (columns === undefined) throw new Error("expected columns that fit")
        const about = {
          plugin: "rooms",
          first,
          steps: some.length,
          rule: "default",
          priorities: {},
        } as const
        yield* add(log, [{ type: "StepsRecorded", payload: { ...about, ...columns } }])
      }
    })

  it.scopedLive.each([true, false])(
    "finds the newest step of each compact event, with an index or without (%s)",
    (indexed) =>
      Effect.gen(function* () {
        const { log, search } = yield* indexed ? newLog : open(":memory:")
        yield* add(log, [{ type: "TaskOpened", payload: { goal: "Find the lantern", measures: [], agent: "a@1" } }])
        const said = Array.from({ length: 400 }, (_, step) =>
          step % 50 === 7 ? `take lantern ${step}` : `go north ${step}`,
        )
        yield* steps(log, said, 100)
        yield* say(log, "the lantern is lit")
        if (indexed) yield* search.build()
        const { hits } = yield* search.find({ text: "lantern", limit: 100 })
        const place = ({ position }: { readonly position: number }) =>
          StepPosition.isWithin(position) ? [StepPosition.holder(position), StepPosition.stepAt(position)] : position
        expect(hits.map(place)).toEqual([6, [5, 57], [4, 57], [3, 57], [2, 57], 1])
        expect(hits[1]).toMatchObject({ type: "SensorRead", kind: "result", taskId: "t" })
        const { hits: commands } = yield* search.find({ text: "take lantern 107", limit: 100, kinds: ["argument"] })
        expect(commands.map(({ position, type }) => [place({ position }), type])).toEqual([
          [[3, 7], "ActuatorCommanded"],
        ])
        // Words of different steps are no hit.
        expect((yield* search.find({ text: "north lantern", limit: 100 })).hits).toEqual([])
        const [step] = yield* log.readPage({ after: (hits[1]?.position ?? 0) - 1, until: hits[1]?.position ?? 0 }, 1)
        expect(step).toMatchObject({ type: "SensorRead", payload: { reading: "heard take lantern 357" } })
      }),
  )
})
