import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { describe, expect } from "vitest"
import { EventLog, layerSqlite } from "../../src/events/index.ts"
import { Database } from "../sqlite.ts"
import { temporaryDirectory } from "../temporary.ts"

const ofFormat1 = fileURLToPath(new URL("../golden/0.1.0.db", import.meta.url))

const copied = Effect.map(temporaryDirectory, (directory) => {
  const filename = path.join(directory, "log.db")
  fs.copyFileSync(ofFormat1, filename)
  return filename
})

const schema = (filename: string) => {
  const database = new Database(filename, { readonly: true })
  const tables = database.prepare("SELECT type, name, sql FROM sqlite_schema ORDER BY name").all()
  const version = database.pragma("user_version", { simple: true })
  database.close()
  return { tables, version }
}

describe("a log of format 1", () => {
  it.scopedLive("is refused for reading only, with what to do, and left as it is", () =>
    Effect.gen(function* () {
      const filename = yield* copied
      const error = yield* Effect.flip(Effect.provide(EventLog, layerSqlite({ filename, readonly: true })))
      expect(error._tag).toBe("LogFormatUnsupported")
      expect(error.message).toContain("found format 1; to upgrade it to format 2, run `hindcast log upgrade`")
      expect(fs.readFileSync(filename).equals(fs.readFileSync(ofFormat1))).toBe(true)
    }),
  )

  it.scopedLive("is brought to the present format by opening it for writing: as if it had been made so", () =>
    Effect.gen(function* () {
      const filename = yield* copied
      const fresh = path.join(yield* temporaryDirectory, "fresh.db")
      yield* Effect.provide(EventLog, layerSqlite({ filename: fresh }))
      yield* Effect.gen(function* () {
        const log = yield* EventLog
        const { length } = [...(yield* Stream.runCollect(log.read()))]
        expect(yield* log.verify).toMatchObject({ _tag: "Intact", events: length })
        yield* log.append({
          stream: "a",
          actor: "human:test",
          events: [{ type: "NoteAdded", payload: { about: "", text: "" } }],
        })
        expect(yield* log.verify).toMatchObject({ _tag: "Intact", events: length + 1 })
      }).pipe(Effect.provide(layerSqlite({ filename })))
      expect(schema(filename)).toEqual(schema(fresh))
    }),
  )

  it.scopedLive("is brought there once, by whichever of two that open it comes first", () =>
    Effect.gen(function* () {
      const filename = yield* copied
      const open = Effect.flatMap(EventLog, (log) => log.verify).pipe(Effect.provide(layerSqlite({ filename })))
      const [first, second] = yield* Effect.all([open, open], { concurrency: "unbounded" })
      expect(first).toMatchObject({ _tag: "Intact" })
      expect(second).toEqual(first)
    }),
  )
})
