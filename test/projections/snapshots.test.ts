import assert from "node:assert/strict"
import * as path from "node:path"
import { it } from "@effect/vitest"
import { Effect, Fiber, Layer, Schema } from "effect"
import { describe, expect } from "vitest"
import { layerSqlite } from "../../src/events/index.ts"
import { Snapshots } from "../../src/events/log/Snapshots.ts"
import { fold, type Projection } from "../../src/projections/fold/Projection.ts"
import * as EnvironmentState from "../../src/projections/state/EnvironmentState.ts"
import * as Tasks from "../../src/projections/state/Tasks.ts"
import { Database } from "../sqlite.ts"
import { temporaryDirectory } from "../temporary.ts"
import {
  allEvents,
  current,
  expectTrueStates,
  fill,
  filledLog,
  projectorOn,
  snapshotPositions,
  sql,
  stateAt,
  TASKS,
  watched,
} from "./storedSnapshots.ts"

describe("snapshots", () => {
  it.scopedLive("are laid as a fold goes along, no nearer than the rule says", () =>
    Effect.gen(function* () {
      const filename = yield* filledLog
      const positions = yield* snapshotPositions(filename)
      expect(positions.length).toBeGreaterThanOrEqual(3)
      for (const [index, position] of positions.entries()) {
        expect(position - (positions[index - 1] ?? 0)).toBeGreaterThanOrEqual(500)
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
      const wholePages = Math.ceil(TASKS / 64) * (yield* snapshotPositions(filename)).length
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
      const positions = yield* snapshotPositions(filename)
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
      const positions = yield* snapshotPositions(filename)
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
      expect(yield* snapshotPositions(filename)).toEqual(positions)
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
      expect(yield* snapshotPositions(filename)).toEqual([])
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
      expect((yield* snapshotPositions(filename)).length).toBeGreaterThan(0)
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

  it.scopedLive("snapshots of states that are not JSON are not taken", () =>
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
      expect(yield* snapshotPositions(filename)).toEqual([])
    }),
  )
})

describe("several projections", () => {
  it.scopedLive("are folded at once, each with its own snapshots, while events are appended", () =>
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
