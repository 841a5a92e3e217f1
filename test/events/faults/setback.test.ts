import { it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { describe, expect } from "vitest"
import { EventLog, layerSqlite } from "../../../src/events/index.ts"
import { Exact } from "../../../src/events/log/EventLog.ts"
import { Archive } from "../../../src/events/maintenance/Archive.ts"
import * as Database from "../../../src/events/sqlite/file/database.ts"
import { EVENTS, smallLog } from "../smallLog.ts"

const note = (text: string) => ({
  stream: "a",
  actor: "human:test",
  events: [{ type: "NoteAdded" as const, payload: { about: "", text } }],
})

const open = (filename: string) =>
  Effect.gen(function* () {
    const scope = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
    return Context.get(yield* Layer.buildWithScope(layerSqlite({ filename }), scope), EventLog)
  })

/** What another program does that takes the last events out, and leaves no other trace. */
const setBack = (filename: string, to: number) =>
  Effect.scoped(
    Effect.gen(function* () {
      const database = yield* Database.open(filename, { readonly: false })
      const [[sql] = []] = database.rows("SELECT sql FROM sqlite_schema WHERE name = 'events_not_deleted'")
      database.run("BEGIN IMMEDIATE")
      database.run("DROP TRIGGER events_not_deleted")
      database.run("DELETE FROM events WHERE position > ?", [to])
      database.run(String(sql))
      database.run("COMMIT")
    }),
  )

describe("a log that is set back while it is open", () => {
  const acknowledgesNoMore = (between: (filename: string) => Effect.Effect<unknown, unknown>) =>
    Effect.gen(function* () {
      const filename = yield* smallLog
      const log = yield* open(filename)
      for (const text of ["one", "two", "three"]) yield* log.append(note(text))
      yield* setBack(filename, EVENTS + 1)
      yield* between(filename)
      const many = {
        ...note("x"),
        events: Array.from({ length: 100 }, () => note("x").events[0] ?? expect.unreachable("")),
      }
      for (const request of [note("four"), many, { ...note("five"), expected: Exact(3) }]) {
        const error = yield* Effect.flip(log.append(request))
        expect(error).toMatchObject({ _tag: "LogCorrupt", position: EVENTS + 3 })
        expect(error.message).toContain(
          "the file was replaced by an earlier copy, or rewritten, while the log was open",
        )
      }
      return filename
    })

  it.scopedLive("acknowledges nothing more, and says why", () =>
    Effect.gen(function* () {
      const filename = yield* acknowledgesNoMore(() => Effect.void)
      const log = yield* open(filename)
      expect(yield* log.append(note("again"))).toMatchObject({ position: EVENTS + 2 })
      expect(yield* log.verify).toMatchObject({ _tag: "Intact", events: EVENTS + 2 })
    }),
  )

  it.scopedLive.each([2, 3])(
    "acknowledges nothing more where another process appended %i events since either",
    (count) =>
      Effect.gen(function* () {
        const filename = yield* acknowledgesNoMore((filename) =>
          Effect.scoped(
            Effect.gen(function* () {
              const other = yield* open(filename)
              for (let time = 0; time < count; time++) yield* other.append(note("other"))
            }),
          ),
        )
        expect(yield* (yield* open(filename)).verify).toMatchObject({ _tag: "Intact", events: EVENTS + 1 + count })
      }),
  )

  it.scopedLive("goes on where another process only appended, and archived what this one knew last", () =>
    Effect.gen(function* () {
      const filename = yield* smallLog
      const log = yield* open(filename)
      yield* log.append(note("one"))
      yield* Effect.gen(function* () {
        const other = yield* EventLog
        for (let time = 0; time < 5; time++) yield* other.append(note("other"))
        yield* (yield* Archive).archive({ until: EVENTS + 3, actor: "human:test" })
      }).pipe(Effect.provide(layerSqlite({ filename })))
      // Archiving appends an event that says so.
      expect(yield* log.append(note("two"))).toMatchObject({ position: EVENTS + 8 })
    }),
  )
})
