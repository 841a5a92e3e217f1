import assert from "node:assert/strict"
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import { LOG_TABLES } from "../../src/events/sqlite/file/schema.ts"
import { fold } from "../../src/projections/fold/Projection.ts"
import { Projector } from "../../src/projections/projector/Projector.ts"
import * as EnvironmentState from "../../src/projections/state/EnvironmentState.ts"
import { Database } from "../sqlite.ts"
import { forge } from "./forging.ts"
import {
  allEvents,
  current,
  expectTrueStates,
  fill,
  filledLog,
  newFilledLog,
  projectorOn,
  snapshotPositions,
  sql,
  watched,
} from "./storedSnapshots.ts"

/** Makes the first digit of a hash another one, whichever it is. */
const otherwise = (column: string) => `${column} = iif(substr(${column}, 1, 1) = '0', '1', '0') || substr(${column}, 2)`

const reach = Effect.flatMap(Projector, ({ snapshotAt }) => snapshotAt(EnvironmentState.projection))

describe("a snapshot that is not what was stored is not trusted", () => {
  const refused = (what: string, corrupt: (filename: string, last: number) => Effect.Effect<unknown>) =>
    it.scopedLive(what, () =>
      Effect.gen(function* () {
        const filename = yield* filledLog
        const positions = yield* snapshotPositions(filename)
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
    sql(filename, `UPDATE snapshots SET ${otherwise("state_hash")} WHERE position = ?`, last),
  )
  refused("it is of another event than the log has there", (filename, last) =>
    sql(filename, `UPDATE snapshots SET ${otherwise("event_hash")} WHERE position = ?`, last),
  )
  refused("it was folded by another version", (filename, last) =>
    sql(filename, "UPDATE snapshots SET fingerprint = 'another' WHERE position = ?", last),
  )
  refused("it is moved to another position", (filename, last) =>
    sql(filename, "UPDATE snapshots SET position = position - 1 WHERE position = ?", last),
  )
  refused("it is said to be of another timeline", (filename, last) =>
    sql(filename, "UPDATE snapshots SET timeline = 'fork-1' WHERE position = ?", last),
  )
  refused("its seal was changed", (filename, last) =>
    Effect.gen(function* () {
      const where = "FROM snapshots WHERE position = ?"
      const [row] = yield* sql<{ readonly root: Buffer }>(filename, `SELECT root ${where}`, last)
      const root = Buffer.from(row?.root ?? [])
      root.writeUInt8(root.readUInt8(39) ^ 1, 39)
      yield* sql(filename, "UPDATE snapshots SET root = ? WHERE position = ?", root, last)
    }),
  )
  refused("it has the seal of another", (filename, last) =>
    sql(
      filename,
      `UPDATE snapshots SET root = CAST(substr((SELECT root FROM snapshots ORDER BY position), 1, 40) || substr(root, 41) AS BLOB)
        WHERE position = ?`,
      last,
    ),
  )
  const newest = "rowid = (SELECT max(rowid) FROM snapshot_parts)"
  refused("a part of it was changed", (filename) =>
    sql(
      filename,
      `UPDATE snapshot_parts SET content = (SELECT content FROM snapshot_parts ORDER BY rowid) WHERE ${newest}`,
    ),
  )
  refused("a part of it is missing", (filename) => sql(filename, `DELETE FROM snapshot_parts WHERE ${newest}`))

  /** Changes every stored reading, and what can be computed of its hashes. */
  const forged = (text: string) => text.replaceAll('"text":"x', '"text":"y')

  it.scopedLive("no snapshot is trusted where their states were forged with every hash that needs no key", () =>
    Effect.gen(function* () {
      for (const key of [undefined, crypto.randomBytes(32)]) {
        const filename = yield* filledLog
        expect(yield* forge(filename, forged, key)).toBeGreaterThan(1)
        const { projection, firstFolded } = watched()
        yield* Effect.provide(Effect.zipRight(current(projection), expectTrueStates), projectorOn(filename))
        // Where nothing in a state was changed, the seal that it has holds.
        if (key !== undefined) expect(firstFolded()).toBe(1)
      }
    }),
  )

  it.scopedLive("no snapshot of another log is trusted", () =>
    Effect.gen(function* () {
      const theirs = yield* newFilledLog
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

  it.scopedLive("no snapshot of a time when the log went on otherwise is trusted", () =>
    Effect.gen(function* () {
      const filename = yield* filledLog
      const positions = yield* snapshotPositions(filename)
      const cut = positions.at(-2) ?? 0
      const guard = LOG_TABLES.find((statement) => statement.startsWith("CREATE TRIGGER events_not_deleted")) ?? ""
      yield* sql(filename, "DROP TRIGGER events_not_deleted")
      yield* sql(filename, "DELETE FROM events WHERE position >= ?", cut)
      yield* sql(filename, guard)
      expect(yield* Effect.provide(reach, projectorOn(filename))).toBe(0)
      // The last two are of events that are no more; what takes their places says something else.
      yield* Effect.provide(fill(1_500), projectorOn(filename))
      expect(yield* Effect.provide(reach, projectorOn(filename))).toBe(0)
      const { projection, firstFolded } = watched()
      yield* Effect.provide(
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* current(projection), fold(EnvironmentState.projection, yield* allEvents))
        }),
        projectorOn(filename),
      )
      expect(firstFolded()).toBe((positions.at(-3) ?? 0) + 1)
    }),
  )
})

describe("without the key that snapshots were stored with, states are folded from events:", () => {
  const keyOf = (filename: string) => `${filename}.snapshot-key`

  const untrusted = (what: string, change: (key: string) => void) =>
    it.scopedLive(what, () =>
      Effect.gen(function* () {
        const filename = yield* filledLog
        change(keyOf(filename))
        const { projection, firstFolded } = watched()
        yield* Effect.provide(Effect.zipRight(current(projection), expectTrueStates), projectorOn(filename))
        expect(firstFolded()).toBe(1)
        // It was made anew, and so were the snapshots.
        expect(fs.lstatSync(keyOf(filename))).toMatchObject({ size: 32 })
        expect(fs.lstatSync(keyOf(filename)).mode & 0o777).toBe(0o600)
        const again = watched()
        yield* Effect.provide(current(again.projection), projectorOn(filename))
        expect(again.firstFolded()).toBeGreaterThan(1_000)
      }),
    )

  untrusted("it is not there, as in a copy of the log", (key) => fs.rmSync(key))
  untrusted("it is another one", (key) => fs.writeFileSync(key, crypto.randomBytes(32)))
  untrusted("it was cut short", (key) => fs.truncateSync(key, 31))
  untrusted("it is empty, and has been for a while", (key) => {
    fs.truncateSync(key, 0)
    fs.utimesSync(key, 0, 0)
  })
  untrusted("it is too long", (key) => fs.appendFileSync(key, "x"))
  untrusted("others may read it", (key) => fs.chmodSync(key, 0o640))
  untrusted("it is a link to where the key is now", (key) => {
    fs.renameSync(key, `${key}.elsewhere`)
    fs.symlinkSync(`${key}.elsewhere`, key)
  })

  it.scopedLive("a link that was planted in its place leads nowhere: what it names is not written to", () =>
    Effect.gen(function* () {
      const filename = yield* filledLog
      const victim = `${filename}.victim`
      fs.writeFileSync(victim, "precious")
      fs.rmSync(keyOf(filename))
      fs.symlinkSync(victim, keyOf(filename))
      yield* Effect.provide(current(EnvironmentState.projection), projectorOn(filename))
      expect(fs.readFileSync(victim, "utf8")).toBe("precious")
      expect(fs.lstatSync(keyOf(filename)).isFile()).toBe(true)
    }),
  )

  it.scopedLive("a log opened for reading only makes none, and works without", () =>
    Effect.gen(function* () {
      const filename = yield* filledLog
      fs.rmSync(keyOf(filename))
      const { projection, firstFolded } = watched()
      const readonly = projectorOn(filename, { readonly: true })
      yield* Effect.provide(Effect.zipRight(current(projection), expectTrueStates), readonly)
      expect(firstFolded()).toBe(1)
      expect(fs.existsSync(keyOf(filename))).toBe(false)
    }),
  )

  it.scopedLive("a directory in its place stops nothing", () =>
    Effect.gen(function* () {
      const filename = yield* filledLog
      fs.rmSync(keyOf(filename))
      fs.mkdirSync(keyOf(filename))
      yield* Effect.provide(expectTrueStates, projectorOn(filename))
      expect(fs.statSync(keyOf(filename)).isDirectory()).toBe(true)
    }),
  )
})
