import assert from "node:assert/strict"
import * as path from "node:path"
import { it } from "@effect/vitest"
import Database from "better-sqlite3"
import { Effect, Fiber, Layer, Schema } from "effect"
import { describe, expect } from "vitest"
import type { Event } from "../../src/events/Event.ts"
import { EventLog } from "../../src/events/EventLog.ts"
import { layerSqlite } from "../../src/events/index.ts"
import { Snapshots } from "../../src/events/Snapshots.ts"
import * as EnvironmentState from "../../src/projections/EnvironmentState.ts"
import { fold, type Projection } from "../../src/projections/Projection.ts"
import * as Projector from "../../src/projections/Projector.ts"
import * as Tasks from "../../src/projections/Tasks.ts"
import { temporaryDirectory } from "../temporary.ts"

/** Enough for a few rungs; more tasks than fit one page of a stored state. */
const EVENTS = 4_500
const TASKS = 150

/** Every task is opened, and then read in, a few at a time. */
const fill = (count = EVENTS) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const { position } = yield* log.head
    const taskOf = (index: number) => Math.floor((index * TASKS) / EVENTS)
    for (let index = position; index < position + count; index += 5) {
      const id = taskOf(index) === taskOf(index - 1) ? `t${taskOf(index)}` : `t${Math.max(0, taskOf(index) - 1)}`
      const reading = (each: number) =>
        ({
          type: "SensorRead",
          payload: { sensor: `room/${each % 3}`, reading: { each, text: "x".repeat(100) }, priority: 0, latencyMs: 1 },
        }) as const
      const opened = { type: "TaskOpened", payload: { goal: `g${index}`, measures: [], agent: "a" } } as const
      const some = [0, 1, 2, 3, 4].map((offset) =>
        offset === 0 && index % 30 === 0 ? opened : reading(index + offset),
      )
      yield* log.append({ stream: `task/${id}`, taskId: id, actor: "test", events: some })
    }
  })

const allEvents = Effect.gen(function* () {
  const log = yield* EventLog
  return yield* log.readPage({}, 100_000)
})

const projectorOn = (filename: string, options: { readonly readonly?: boolean } = {}) =>
  Projector.layerWith({ checks: false }).pipe(Layer.provideMerge(layerSqlite({ filename, ...options })))

/** A log with its ladder, laid by a program that is gone. */
const filledLog = Effect.gen(function* () {
  const filename = path.join(yield* temporaryDirectory, "log.db")
  yield* Effect.provide(Effect.zipRight(fill(), current(EnvironmentState.projection)), projectorOn(filename))
  return filename
})

const current = <S>(projection: Projection<S>) =>
  Effect.flatMap(Projector.Projector, (projector) => projector.current(projection))

const stateAt = <S>(projection: Projection<S>, at: number) =>
  Effect.flatMap(Projector.Projector, (projector) => projector.stateAt(projection, at))

const sql = <Row>(filename: string, statement: string, ...parameters: ReadonlyArray<unknown>) =>
  Effect.sync(() => {
    const database = new Database(filename)
    try {
      const prepared = database.prepare(statement)
      if (prepared.reader) return prepared.all(...parameters) as ReadonlyArray<Row>
      prepared.run(...parameters)
      return []
    } finally {
      database.close()
    }
  })

const rungs = (filename: string) =>
  Effect.map(sql<{ readonly position: number }>(filename, "SELECT position FROM snapshots ORDER BY position"), (rows) =>
    rows.map(({ position }) => position),
  )

/** The environment, telling the first event that it has to fold. */
const watched = () => {
  const seen: Array<number> = []
  const projection: Projection<EnvironmentState.EnvironmentState> = {
    ...EnvironmentState.projection,
    evolveAll: (state, events) => {
      const page: ReadonlyArray<Event> = [...events]
      seen.push(page[0]?.position ?? 0)
      return fold(EnvironmentState.projection, page, state)
    },
  }
  return { projection, firstFolded: () => seen[0] ?? null }
}

/** At any position and now, the state is that of all events. */
const expectTrueStates = Effect.gen(function* () {
  const events = yield* allEvents
  for (const at of [0, 1, 999, 1_960, 2_000, 3_333, 4_499, events.length]) {
    assert.deepStrictEqual(
      yield* stateAt(EnvironmentState.projection, at),
      fold(EnvironmentState.projection, events.slice(0, at)),
    )
  }
  assert.deepStrictEqual(yield* current(EnvironmentState.projection), fold(EnvironmentState.projection, events))
})

describe("snapshots", () => {
  it.scopedLive("are laid as a fold goes along, no nearer than the rule says", () =>
    Effect.gen(function* () {
      const filename = yield* filledLog
      const positions = yield* rungs(filename)
      expect(positions.length).toBeGreaterThanOrEqual(3)
      for (const [index, position] of positions.entries()) {
        expect(position - (positions[index - 1] ?? 0)).toBeGreaterThanOrEqual(1_000)
      }
      const [stored] = yield* sql<{ readonly bytes: number }>(
        filename,
        "SELECT (SELECT sum(length(root)) FROM snapshots) + (SELECT sum(length(content)) FROM snapshot_parts) AS bytes",
      )
      const [events] = yield* sql<{ readonly bytes: number }>(
        filename,
        "SELECT sum(length(payload)) AS bytes FROM events",
      )
      expect(stored?.bytes).toBeGreaterThan(0)
      expect(4 * (stored?.bytes ?? 0)).toBeLessThanOrEqual(events?.bytes ?? 0)
    }),
  )

  it.scopedLive("store once what several states have in common", () =>
    Effect.gen(function* () {
      const filename = yield* filledLog
      const [parts] = yield* sql<{ readonly count: number }>(filename, "SELECT count(*) AS count FROM snapshot_parts")
      const wholePages = Math.ceil(TASKS / 64) * (yield* rungs(filename)).length
      expect(parts?.count).toBeGreaterThan(0)
      expect(parts?.count).toBeLessThan(wholePages)
    }),
  )

  it.scopedLive("change no state, anywhere", () =>
    Effect.gen(function* () {
      yield* Effect.provide(expectTrueStates, projectorOn(yield* filledLog))
    }),
  )

  it.scopedLive("are where another program starts: it folds only what came after", () =>
    Effect.gen(function* () {
      const filename = yield* filledLog
      const positions = yield* rungs(filename)
      const now = watched()
      yield* Effect.provide(current(now.projection), projectorOn(filename))
      expect(now.firstFolded()).toBe((positions.at(-1) ?? 0) + 1)
      const then = watched()
      const second = positions[1] ?? 0
      yield* Effect.provide(stateAt(then.projection, second + 3), projectorOn(filename))
      expect(then.firstFolded()).toBe(second + 1)
    }),
  )

  it.scopedLive("are used and not laid where the log is opened for reading only", () =>
    Effect.gen(function* () {
      const filename = yield* filledLog
      const positions = yield* rungs(filename)
      yield* Effect.provide(fill(3_000), layerSqlite({ filename }))
      yield* Effect.provide(
        Effect.gen(function* () {
          const { projection, firstFolded } = watched()
          assert.deepStrictEqual(yield* current(projection), fold(EnvironmentState.projection, yield* allEvents))
          expect(firstFolded()).toBe((positions.at(-1) ?? 0) + 1)
          const snapshots = yield* Snapshots
          expect(yield* Effect.flip(snapshots.drop)).toMatchObject({ _tag: "LogUnavailable" })
        }),
        projectorOn(filename, { readonly: true }),
      )
      expect(yield* rungs(filename)).toEqual(positions)
    }),
  )

  it.scopedLive("are not laid while another program writes, and nobody waits for them", () =>
    Effect.gen(function* () {
      const filename = path.join(yield* temporaryDirectory, "log.db")
      yield* Effect.provide(fill(), layerSqlite({ filename }))
      const other = new Database(filename)
      other.exec("BEGIN IMMEDIATE")
      const startedAt = performance.now()
      yield* Effect.provide(current(EnvironmentState.projection), projectorOn(filename).pipe(Layer.fresh)).pipe(
        Effect.ensuring(Effect.sync(() => other.close())),
      )
      expect(performance.now() - startedAt).toBeLessThan(4_000)
      expect(yield* rungs(filename)).toEqual([])
    }),
  )

  it.scopedLive("dropped in the middle change nothing, and are laid again", () =>
    Effect.gen(function* () {
      const filename = yield* filledLog
      yield* Effect.provide(
        Effect.gen(function* () {
          yield* stateAt(EnvironmentState.projection, 3_000)
          yield* sql(filename, "DROP TABLE snapshots")
          yield* sql(filename, "DROP TABLE snapshot_parts")
          yield* expectTrueStates
          yield* fill(3_000)
          yield* expectTrueStates
        }),
        projectorOn(filename),
      )
      expect((yield* rungs(filename)).length).toBeGreaterThan(0)
      yield* Effect.provide(
        Effect.gen(function* () {
          yield* (yield* Snapshots).drop
          yield* expectTrueStates
        }),
        projectorOn(filename),
      )
      yield* Effect.provide(expectTrueStates, projectorOn(filename))
    }),
  )

  it.scopedLive("of states that are not JSON are not taken", () =>
    Effect.gen(function* () {
      const filename = path.join(yield* temporaryDirectory, "log.db")
      const asSet: Projection<ReadonlySet<string>> = {
        name: "SetOfStreams",
        version: 1,
        state: Schema.ReadonlySetFromSelf(Schema.String),
        initial: new Set(),
        evolve: (streams, { stream }) => (streams.has(stream) ? streams : new Set([...streams, stream])),
      }
      yield* Effect.provide(Effect.zipRight(fill(), current(asSet)), projectorOn(filename))
      expect(yield* rungs(filename)).toEqual([])
    }),
  )
})

describe("a snapshot that is not what was stored is not trusted:", () => {
  const refused = (what: string, corrupt: (filename: string, last: number) => Effect.Effect<unknown>) =>
    it.scopedLive(what, () =>
      Effect.gen(function* () {
        const filename = yield* filledLog
        const positions = yield* rungs(filename)
        const [before, last] = [positions.at(-2) ?? 0, positions.at(-1) ?? 0]
        yield* corrupt(filename, last)
        yield* Effect.provide(
          Effect.gen(function* () {
            const { projection, firstFolded } = watched()
            assert.deepStrictEqual(yield* current(projection), fold(EnvironmentState.projection, yield* allEvents))
            expect(firstFolded()).toBe(before + 1)
            yield* expectTrueStates
          }),
          projectorOn(filename),
        )
      }),
    )

  refused("its state was changed", (filename, last) =>
    sql(
      filename,
      "UPDATE snapshots SET root = (SELECT root FROM snapshots ORDER BY position) WHERE position = ?",
      last,
    ),
  )
  refused("its state is no longer readable", (filename, last) =>
    sql(filename, "UPDATE snapshots SET root = x'00ff' WHERE position = ?", last),
  )
  refused("its state's hash was changed", (filename, last) =>
    sql(filename, "UPDATE snapshots SET state_hash = replace(state_hash, '0', '1') WHERE position = ?", last),
  )
  refused("it is of another event than the log has there", (filename, last) =>
    sql(filename, "UPDATE snapshots SET event_hash = replace(event_hash, '0', '1') WHERE position = ?", last),
  )
  refused("it was folded by another version", (filename, last) =>
    sql(filename, "UPDATE snapshots SET fingerprint = 'another' WHERE position = ?", last),
  )
  refused("it is moved to another position", (filename, last) =>
    sql(filename, "UPDATE snapshots SET position = position - 1 WHERE position = ?", last),
  )
  const newest = "rowid = (SELECT max(rowid) FROM snapshot_parts)"
  refused("a part of it was changed", (filename) =>
    sql(
      filename,
      `UPDATE snapshot_parts SET content = (SELECT content FROM snapshot_parts ORDER BY rowid) WHERE ${newest}`,
    ),
  )
  refused("a part of it is missing", (filename) => sql(filename, `DELETE FROM snapshot_parts WHERE ${newest}`))

  it.scopedLive("all of them, where they are those of another log", () =>
    Effect.gen(function* () {
      const theirs = yield* filledLog
      const ours = yield* filledLog
      yield* Effect.sync(() => {
        const database = new Database(ours)
        database.exec(`ATTACH '${theirs}' AS theirs; DELETE FROM snapshots; DELETE FROM snapshot_parts;
          INSERT INTO snapshots SELECT * FROM theirs.snapshots; INSERT INTO snapshot_parts SELECT * FROM theirs.snapshot_parts`)
        database.close()
      })
      const { projection, firstFolded } = watched()
      yield* Effect.provide(current(projection), projectorOn(ours))
      expect(firstFolded()).toBe(1)
      // What could not be trusted is gone, and replaced.
      const again = watched()
      yield* Effect.provide(current(again.projection), projectorOn(ours))
      expect(again.firstFolded()).toBeGreaterThan(1_000)
      yield* Effect.provide(expectTrueStates, projectorOn(ours))
    }),
  )
})

describe("several projections", () => {
  it.scopedLive("are folded at once, each on its own ladder, while events are appended", () =>
    Effect.gen(function* () {
      const filename = yield* filledLog
      yield* Effect.provide(
        Effect.gen(function* () {
          const appending = yield* Effect.fork(fill(2_000))
          yield* Effect.all(
            [current(Tasks.projection), current(EnvironmentState.projection), stateAt(Tasks.projection, 4_000)],
            { concurrency: "unbounded" },
          )
          yield* Fiber.join(appending)
          yield* expectTrueStates
          assert.deepStrictEqual(yield* current(Tasks.projection), fold(Tasks.projection, yield* allEvents))
        }),
        projectorOn(filename),
      )
    }),
  )
})
