import * as fs from "node:fs"
import * as path from "node:path"
import { it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Stream } from "effect"
import { describe, expect } from "vitest"
import { type CoreNewEvent, EventLog, layerSqlite } from "../../src/events/index.ts"
import { Archive } from "../../src/events/maintenance/Archive.ts"
import { Bundles } from "../../src/events/maintenance/Bundles.ts"
import { MAX_INLINE_BYTES } from "../../src/events/payload/Blob.ts"
import type { Event } from "../../src/events/vocabulary/Event.ts"
import { yieldToEventLoop } from "../../src/platform/yieldToEventLoop.ts"
import { Database } from "../sqlite.ts"
import { temporaryDirectory } from "../temporary.ts"

const SHA = "0".repeat(64)

const scoring = {
  scoreSetId: "s",
  taskIds: ["a", "b"],
  rubric: {},
  rubricDigest: SHA,
  critic: "rule@4",
  criticDigest: SHA,
  label: "again",
  range: { from: 4, to: 10 },
} as const

/** One after the other: of the kernel, of two tasks, and of a score set over both. */
const story: ReadonlyArray<{ stream: string; taskId?: string; subject?: string; event: CoreNewEvent }> = [
  { stream: "kernel", event: { type: "KernelStarted", payload: kernel("0.1.0") } },
  { stream: "kernel", event: { type: "KernelStarted", payload: kernel("0.2.0") } },
  { stream: "plugin/room", event: { type: "PluginActivated", payload: { plugin: "room" } } },
  { stream: "task/a", taskId: "a", event: opened("find the key") },
  { stream: "task/b", taskId: "b", event: opened("find the door") },
  { stream: "task/a", taskId: "a", subject: "anna", event: { type: "SensorRead", payload: reading("anna is here") } },
  { stream: "task/b", taskId: "b", event: { type: "SensorRead", payload: reading("nobody") } },
  { stream: "task/a", taskId: "a", event: { type: "SensorRead", payload: reading("x".repeat(MAX_INLINE_BYTES)) } },
  { stream: "task/a", taskId: "a", event: decided([6, 7, 8]) },
  { stream: "task/a", taskId: "a", event: { type: "TaskClosed", payload: { outcome: "achieved" } } },
  { stream: "plugin/room", event: { type: "PluginDeactivated", payload: { plugin: "room" } } },
  { stream: "scores/s", event: { type: "ScoringStarted", payload: scoring } },
  { stream: "scores/s", taskId: "a", event: { type: "RewardGiven", payload: reward([8, 9]) } },
  { stream: "scores/s", taskId: "b", event: { type: "RewardGiven", payload: reward([7]) } },
  { stream: "scores/s", event: { type: "ScoringFinished", payload: { scoreSetId: "s", totals: {} } } },
]

function kernel(version: string) {
  return { version, node: "20", deno: "2", seed: 1, configDigest: SHA }
}

function opened(goal: string): CoreNewEvent {
  return { type: "TaskOpened", payload: { goal, measures: [], agent: "test@1" } }
}

function reading(text: string) {
  return { sensor: "room/look", reading: text, priority: 0, latencyMs: 1 }
}

function decided(basedOn: ReadonlyArray<number>): CoreNewEvent {
  return { type: "DecisionMade", payload: { agent: "test@1", choice: {}, basedOn } }
}

function reward(because: ReadonlyArray<number>) {
  return { scoreSetId: "s", measure: "room/found", name: "found", weight: 1, amount: 1, because }
}

const told = Effect.gen(function* () {
  const directory = yield* temporaryDirectory
  const context = yield* Layer.build(layerSqlite({ filename: path.join(directory, "log.db") }))
  const log = Context.get(context, EventLog)
  for (const [index, { event, ...rest }] of story.entries()) {
    yield* log.append({ ...rest, actor: "human:test", events: [{ ...event, occurredAt: 1000 + index }] })
  }
  const file = path.join(directory, "a.db")
  const bundle = (taskId: string) => Context.get(context, Bundles).bundle({ taskId, file })
  return { directory, context, log, file, bundle }
})

const eventsOf = (filename: string) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    return { events: [...(yield* Stream.runCollect(log.read()))], verified: yield* log.verify }
  }).pipe(Effect.provide(layerSqlite({ filename, readonly: true })))

/** Positions of the story that are bundled with task a: the registry up to its last event is. */
const OF_A = [2, 3, 4, 6, 8, 9, 10, 11, 12, 13, 15]

describe("a bundle", () => {
  it.scopedLive("has the kernels that worked on its task: each says under which engine", () =>
    Effect.gen(function* () {
      const { log, file, bundle } = yield* told
      const add = (stream: string, event: CoreNewEvent, rest = {}) =>
        log.append({ stream, actor: "kernel", events: [event], ...rest })
      yield* add("kernel", { type: "KernelStarted", payload: kernel("0.3.0") })
      yield* add("task/a", { type: "SensorRead", payload: reading("again") }, { taskId: "a" })
      yield* add("kernel", { type: "KernelStarted", payload: kernel("0.4.0") })
      yield* bundle("a")
      const { events } = yield* eventsOf(file)
      const kernels = events.filter(({ type }) => type === "KernelStarted")
      expect(kernels.map(({ payload }) => payload.version)).toEqual(["0.2.0", "0.3.0"])
    }),
  )

  it.scopedLive("is a log of its own, of one task and what there was around it", () =>
    Effect.gen(function* () {
      const { log, file, bundle } = yield* told
      const bundled = yield* bundle("a")
      expect(fs.readdirSync(path.dirname(file)).filter((name) => name.startsWith("a.db"))).toEqual(["a.db"])
      const { events, verified } = yield* eventsOf(file)
      expect(verified).toMatchObject({ _tag: "Intact", head: bundled.head, events: OF_A.length + 1 })
      expect(bundled).toMatchObject({ file, events: OF_A.length })
      const source = [...(yield* Stream.runCollect(log.read()))]
      const [provenance, ...rest] = events
      expect(rest.map(kept)).toEqual(OF_A.map((position) => kept(source[position - 1])))
      expect(provenance).toMatchObject({
        type: "TaskBundled",
        actor: "import:log.db",
        payload: {
          taskId: "a",
          source: { log: "log.db", head: yield* log.head },
          positions: OF_A,
          hashes: OF_A.map((position) => source[position - 1]?.hash),
        },
      })
    }),
  )

  it.scopedLive("names its own positions where payloads name positions, and none that stayed behind", () =>
    Effect.gen(function* () {
      const { file, bundle } = yield* told
      yield* bundle("a")
      const { events } = yield* eventsOf(file)
      const payloadOf = (type: string) => events.find((event) => event.type === type)?.payload
      const place = (position: number) => OF_A.indexOf(position) + 2
      expect(payloadOf("DecisionMade")?.basedOn).toEqual([place(6), place(8)])
      expect(payloadOf("RewardGiven")?.because).toEqual([place(8), place(9)])
      expect(payloadOf("ScoringStarted")?.range).toEqual({ from: place(4), to: place(10) })
    }),
  )

  it.scopedLive("takes large payloads along, and leaves the keys behind", () =>
    Effect.gen(function* () {
      const { file, bundle } = yield* told
      yield* bundle("a")
      const { events } = yield* eventsOf(file)
      const readings = events.filter(({ type }) => type === "SensorRead")
      expect(readings.map(({ payload, personal }) => [payload.reading, personal?.readable])).toEqual([
        [null, false],
        ["x".repeat(MAX_INLINE_BYTES), undefined],
      ])
    }),
  )

  it.scopedLive("is the same after the task was archived", () =>
    Effect.gen(function* () {
      const { directory, context, file, bundle } = yield* told
      yield* bundle("a")
      yield* Context.get(context, Archive).archive({ until: 14, actor: "human:test" })
      const again = path.join(directory, "again.db")
      yield* Context.get(context, Bundles).bundle({ taskId: "a", file: again })
      const [before, after] = [yield* eventsOf(file), yield* eventsOf(again)]
      const asGiven = ({ events }: typeof before) => events.slice(1).map(({ hash: _hash, ...event }) => event)
      expect(asGiven(after)).toEqual(asGiven(before))
    }),
  )

  it.scopedLive("is refused for a task that nobody knows, and never replaces a file", () =>
    Effect.gen(function* () {
      const { file, bundle } = yield* told
      const unknown = yield* Effect.flip(bundle("nobody"))
      expect(unknown.message).toContain("expected events of task nobody, found none")
      expect(fs.existsSync(file)).toBe(false)
      fs.writeFileSync(file, "mine")
      const taken = yield* Effect.flip(bundle("a"))
      expect(taken.message).toContain(`expected a file that is not there yet, found ${file}`)
      expect(fs.readFileSync(file, "utf8")).toBe("mine")
    }),
  )

  it.scopedLive("is refused where SQLite would take what lies there for a part of it", () =>
    Effect.gen(function* () {
      const { file, bundle } = yield* told
      for (const part of [`${file}-wal`, `${file}-journal`]) {
        fs.writeFileSync(part, "of a log that is gone")
        expect((yield* Effect.flip(bundle("a"))).message).toContain(
          `expected a file that is not there yet, found ${part}`,
        )
        fs.rmSync(part)
      }
      expect(fs.existsSync(file)).toBe(false)
    }),
  )

  it.scopedLive("is whole in its one file, also where another program looked into it while it was made", () =>
    Effect.gen(function* () {
      const { directory, log, file, bundle } = yield* told
      const readings = Array.from({ length: 1000 }, () => ({ type: "SensorRead" as const, payload: reading("again") }))
      yield* log.append({ stream: "task/a", taskId: "a", actor: "human:test", events: readings })
      const bundling = yield* Effect.fork(bundle("a"))
      const partial = () => fs.readdirSync(directory).find((name) => name.endsWith(".partial-wal"))
      while (partial() === undefined) yield* yieldToEventLoop
      const other = yield* Effect.acquireRelease(
        Effect.sync(
          () => new Database(path.join(directory, partial()?.replace(/-wal$/, "") ?? ""), { readonly: true }),
        ),
        (database) => Effect.sync(() => database.close()),
      )
      other.prepare("SELECT count(*) FROM sqlite_schema").get()
      const { head } = yield* Fiber.join(bundling)
      expect((yield* eventsOf(file)).verified).toMatchObject({ _tag: "Intact", head })
    }),
  )

  it.scopedLive("a bundle that cannot be written is an error, and leaves nothing", () =>
    Effect.gen(function* () {
      const { directory, context } = yield* told
      fs.writeFileSync(path.join(directory, "no-directory"), "")
      const file = path.join(directory, "no-directory", "a.db")
      const error = yield* Effect.flip(Context.get(context, Bundles).bundle({ taskId: "a", file }))
      expect(error).toMatchObject({ _tag: "LogUnavailable" })
    }),
  )
})

/** What an event keeps in a bundle, whatever it is about. */
function kept(event: Event | undefined) {
  const { id, type, stream, taskId, causationId, actor, occurredAt, recordedAt } = event ?? ({} as Partial<Event>)
  return { id, type, stream, taskId, causationId, actor, occurredAt, recordedAt }
}
