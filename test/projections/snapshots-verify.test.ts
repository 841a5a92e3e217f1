import * as crypto from "node:crypto"
import * as fs from "node:fs"
import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import { EventLog, layerSqlite } from "../../src/events/index.ts"
import { LOG_TABLES } from "../../src/events/sqlite/file/schema.ts"
import { forge } from "./forging.ts"
import { filledLog, snapshotPositions, sql } from "./storedSnapshots.ts"

const verified = (filename: string, quick = false) =>
  Effect.flatMap(EventLog, (log) => log.verifyWith({ quick })).pipe(
    Effect.provide(layerSqlite({ filename, readonly: true })),
  )

const lookAtSnapshots = (filename: string) =>
  Effect.map(verified(filename), ({ looks }) => looks.find(({ what }) => what === "snapshots"))

const lies = (text: string) => text.replaceAll('"text":"x', '"text":"y')

describe("verify, of snapshots,", () => {
  it.scopedLive("says how many there are, by their seals, and finds nothing in those of the log's own programs", () =>
    Effect.gen(function* () {
      const filename = yield* filledLog
      const { length } = yield* snapshotPositions(filename)
      expect(yield* verified(filename)).toMatchObject({ _tag: "Intact" })
      expect(yield* lookAtSnapshots(filename)).toMatchObject({
        looked: true,
        told: `${length} snapshots, by their seals`,
      })
    }),
  )

  it.scopedLive("finds one whose state was changed with every hash that needs no key (S2)", () =>
    Effect.gen(function* () {
      const filename = yield* filledLog
      expect(yield* forge(filename, lies)).toBeGreaterThan(0)
      expect(yield* verified(filename, true)).toMatchObject({ _tag: "Intact" })
      const found = yield* verified(filename)
      expect(found).toMatchObject({ _tag: "Tampered", kind: "snapshot changed" })
      expect(found._tag === "Tampered" && found.findings[0]?.advice).toContain("It is never used")
    }),
  )

  it.scopedLive.each(["-9223372036854775808", "-1000", "9223372036854770000"])(
    "finds it in rows from %s, too",
    (rowid) =>
      Effect.gen(function* () {
        const filename = yield* filledLog
        expect(yield* forge(filename, lies)).toBeGreaterThan(0)
        yield* sql(filename, `UPDATE snapshots SET rowid = ${rowid} + rowid`)
        expect(yield* verified(filename)).toMatchObject({ _tag: "Tampered", kind: "snapshot changed" })
      }),
  )

  it.scopedLive("finds a part that is not what its name says", () =>
    Effect.gen(function* () {
      const filename = yield* filledLog
      yield* sql(filename, "UPDATE snapshot_parts SET content = x'00' WHERE rowid = 1")
      expect(yield* verified(filename)).toMatchObject({ _tag: "Tampered", kind: "snapshot changed", position: null })
    }),
  )

  it.scopedLive("counts those that another key sealed: nothing is answered from them", () =>
    Effect.gen(function* () {
      const filename = yield* filledLog
      const { length } = yield* snapshotPositions(filename)
      yield* forge(filename, lies, crypto.randomBytes(32))
      expect(yield* verified(filename)).toMatchObject({ _tag: "Intact" })
      expect(yield* lookAtSnapshots(filename)).toMatchObject({
        told: `${length} snapshots, by their seals, ${length} of them not sealed with this log's key and not used`,
      })
    }),
  )

  it.scopedLive("says that it did not look at them where there is no key", () =>
    Effect.gen(function* () {
      const filename = yield* filledLog
      fs.rmSync(`${filename}.snapshot-key`)
      expect(yield* verified(filename)).toMatchObject({ _tag: "Intact" })
      expect(yield* lookAtSnapshots(filename)).toMatchObject({ looked: false, told: expect.stringContaining("no key") })
    }),
  )

  it.scopedLive("finds by them that the log's end was cut off, which the chain alone cannot", () =>
    Effect.gen(function* () {
      const filename = yield* filledLog
      const last = (yield* snapshotPositions(filename)).at(-1) ?? 0
      yield* sql(filename, "DROP TRIGGER events_not_deleted")
      yield* sql(filename, "DELETE FROM events WHERE position >= ?", last)
      yield* sql(filename, LOG_TABLES.find((statement) => statement.includes("events_not_deleted")) ?? "")
      expect(yield* verified(filename, true)).toMatchObject({ _tag: "Intact", events: last - 1 })
      expect(yield* verified(filename)).toMatchObject({ _tag: "Tampered", kind: "head changed", position: last })
    }),
  )
})
