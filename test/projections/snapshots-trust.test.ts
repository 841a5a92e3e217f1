import assert from "node:assert/strict"
import { it } from "@effect/vitest"
import Database from "better-sqlite3"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import * as EnvironmentState from "../../src/projections/EnvironmentState.ts"
import { fold } from "../../src/projections/Projection.ts"
import { allEvents, current, expectTrueStates, filledLog, projectorOn, rungs, sql, watched } from "./ladders.ts"

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
